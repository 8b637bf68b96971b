-- The one client: how its server is found and started, which buffers it has, and what it is told.
--
-- One server serves every project that is open, as workspace folders. Nothing is sent for buffers
-- that are no files. A server that crashed is started again a few times, then only on command.
local options = require("sightline.options")
local roots = require("sightline.roots")

local M = {}

local add_folder, call, on_exit, reuse_client, start

M.name = "sightline"
M.hint = "Run 'pipx install .' in a clone of Sightline, or set 'cmd'. See :checkhealth sightline."

local TEN_MINUTES = 600
local has_client_methods = vim.fn.has("nvim-0.11") == 1

---@type table<integer, true> Buffers that a server has or is to have again.
local served = {}
---@type table<integer, fun(client: vim.lsp.Client)[]> By buffer: what waits for a server.
local waiting = {}
---@type table<integer, "starting"|"ready"|"stopping"> By client.
local states = {}
---@type integer[] When a server was started again, in seconds.
local restarts = {}
---@type string? The focus that was sent last.
local last_focus
local is_restarting = false
local is_watching = false
local was_told = false

---What vim.lsp.config("sightline") starts from.
---@return vim.lsp.Config
function M.config()
  M.watch()
  local current = options.current
  return {
    name = M.name,
    cmd = current.cmd,
    settings = { sightline = current.settings },
    root_dir = function(bufnr, on_root)
      local root = roots.of_buffer(bufnr)
      if root and M.find_server() then
        on_root(root)
      end
    end,
    reuse_client = reuse_client,
    on_exit = on_exit,
    handlers = {
      ["sightline/budgetStatus"] = function(_, status)
        require("sightline.budget").take(M.plain(status))
      end,
    },
    commands = {
      ["sightline.buildContext"] = function(command)
        require("sightline.build").run(vim.deepcopy(command.arguments[1]))
      end,
      ["sightline.allowPath"] = function(command)
        require("sightline.marks").run(command.command, command.arguments[1])
      end,
      ["sightline.markHarmless"] = function(command)
        require("sightline.marks").run(command.command, command.arguments[1])
      end,
    },
  }
end

---Tells every server what the settings are now.
function M.configure()
  local settings = { sightline = options.current.settings }
  for _, client in ipairs(M.all()) do
    client.settings = settings
    call(client, "notify", "workspace/didChangeConfiguration", { settings = settings })
  end
end

---Starts a server for every file from now on, and for those that are open.
function M.enable()
  M.watch()
  local settings = { sightline = options.current.settings }
  if vim.lsp.config and vim.lsp.enable then
    -- Said again, so that options which were set after the first look are in it.
    vim.lsp.config(M.name, { cmd = options.current.cmd, settings = settings })
    vim.lsp.enable(M.name)
  end
  M.configure()
  local group = vim.api.nvim_create_augroup("sightline.enable", { clear = true })
  -- Files whose type is unknown have no FileType event.
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
    group = group,
    callback = function(event)
      M.attach(event.buf)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      M.attach(bufnr)
    end
  end
end

---Follows focus, names and the life of buffers. Safe to call again.
function M.watch()
  if is_watching then
    return
  end
  is_watching = true
  require("sightline.budget").define_highlights()
  local group = vim.api.nvim_create_augroup("sightline.client", { clear = true })
  ---@param events string|string[]
  ---@param callback fun(event: vim.api.keyset.create_autocmd.callback_args)
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ "BufEnter", "WinEnter", "CursorMoved", "CursorMovedI" }, function()
    M.send_focus()
  end)
  on("LspAttach", function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == M.name then
      states[client.id] = "ready"
      served[event.buf] = true
      for _, folder in ipairs(client.workspace_folders or {}) do
        add_folder(client, folder)
      end
      M.send_focus()
      local callbacks = waiting[event.buf] or {}
      waiting[event.buf] = nil
      for _, callback in ipairs(callbacks) do
        callback(client)
      end
    end
  end)
  -- The server knows a document by its name: under another name it is another document.
  on("BufFilePre", function(event)
    local client = M.of(event.buf)
    if client then
      require("sightline.budget").forget(vim.uri_from_bufnr(event.buf))
      vim.lsp.buf_detach_client(event.buf, client.id)
    end
  end)
  on("BufFilePost", function(event)
    if served[event.buf] then
      vim.schedule(function()
        if vim.api.nvim_buf_is_loaded(event.buf) then
          M.attach(event.buf)
        end
      end)
    end
  end)
  on({ "BufUnload", "BufWipeout" }, function(event)
    served[event.buf] = nil
    waiting[event.buf] = nil
    if vim.api.nvim_buf_get_name(event.buf) ~= "" then
      require("sightline.budget").forget(vim.uri_from_bufnr(event.buf))
    end
  end)
end

---The command that starts the server; nil, and once a message, where there is none.
---@return string[]|function|nil
function M.find_server()
  local cmd = M.command()
  if type(cmd) == "function" or vim.fn.executable(cmd[1]) == 1 then
    return cmd
  end
  if not was_told then
    was_told = true
    M.tell(("The server was not found: there is no '%s'. %s"):format(cmd[1], M.hint), vim.log.levels.ERROR)
  end
  return nil
end

---@return string[]|function
function M.command()
  local config = vim.lsp.config and vim.lsp.config[M.name]
  return config and config.cmd or options.current.cmd
end

---The client of a buffer, once it is ready and as long as it is not about to stop.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.of(bufnr)
  return M.all(bufnr or vim.api.nvim_get_current_buf())[1]
end

---@param bufnr? integer of this buffer alone
---@return vim.lsp.Client[]
function M.all(bufnr)
  return vim.tbl_filter(function(client)
    return states[client.id] ~= "stopping"
  end, vim.lsp.get_clients({ name = M.name, bufnr = bufnr }))
end

---Gives a buffer to the server, which is started where it does not run.
---@param bufnr integer
---@return boolean is_under_way
function M.attach(bufnr)
  local root = roots.of_buffer(bufnr)
  if not root or not M.find_server() then
    return false
  end
  M.watch()
  return start(bufnr, root)
end

---Calls back with the client of a buffer: of the current one, or where that is no file, of any.
---A server that does not run is started; where there can be none, that is said.
---@param callback fun(client: vim.lsp.Client)
function M.with(callback)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = M.of(bufnr)
  if not client and vim.bo[bufnr].buftype ~= "" then
    client = M.all()[1]
  end
  if client then
    callback(client)
    return
  end
  was_told = false
  waiting[bufnr] = waiting[bufnr] or {}
  table.insert(waiting[bufnr], callback)
  if not M.attach(bufnr) then
    waiting[bufnr] = nil
    if not was_told then
      M.tell("This buffer is no file of a project, and no server runs.", vim.log.levels.WARN)
    end
  end
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param callback fun(error?: lsp.ResponseError, result?: any)
---@return integer? request_id
function M.request(client, method, params, callback)
  local is_sent, id = call(client, "request", method, params, function(failure, result)
    callback(failure, result)
  end)
  if not is_sent then
    M.tell("The server does not answer. :SightlineRestart starts it again.", vim.log.levels.ERROR)
    return nil
  end
  return id
end

---For what cannot wait, such as completion.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param milliseconds integer
---@return any? result nil where there was none in time
function M.request_now(client, method, params, milliseconds)
  local answer = call(client, "request_sync", method, params, milliseconds)
  return answer and M.plain(answer.result) or nil
end

---@param client vim.lsp.Client
---@param request_id integer
function M.cancel(client, request_id)
  call(client, "cancel_request", request_id)
end

---Runs a command of the server and says what came of it.
---@param command string
---@param arguments any[]
---@param on_done? fun(result: table)
function M.execute(command, arguments, on_done)
  M.with(function(client)
    local params = { command = command, arguments = arguments }
    M.request(client, "workspace/executeCommand", params, function(failure, raw)
      local result = M.plain(raw)
      if failure then
        M.tell(failure.message, vim.log.levels.ERROR)
      elseif type(result) == "table" and result.refusal then
        -- Who has just said no need not be told.
        if result.refusal.reason ~= "not_confirmed" then
          M.tell(M.words(result.refusal), vim.log.levels.WARN)
        end
      elseif on_done then
        on_done(result)
      end
    end)
  end)
end

---Tells the server where the cursor is, unless it knows.
function M.send_focus()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = served[bufnr] and M.of(bufnr)
  if not client then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local position = params.position
  local focus = ("%d %s %d:%d"):format(client.id, params.textDocument.uri, position.line, position.character)
  if focus ~= last_focus then
    last_focus = focus
    call(client, "notify", "sightline/didChangeActiveFile", params)
  end
end

---Stops the server if it runs, and gives a new one the buffers that it had.
function M.restart()
  restarts, was_told = {}, false
  served[vim.api.nvim_get_current_buf()] = true
  local clients = M.all()
  if #clients == 0 then
    M.attach_served()
    return
  end
  is_restarting = true
  require("sightline.budget").forget_all()
  for _, client in ipairs(clients) do
    states[client.id] = "stopping"
    call(client, "stop")
    vim.defer_fn(function()
      if states[client.id] == "stopping" then
        call(client, "stop", true)
      end
    end, 3000)
  end
end

---Gives a server the buffers that one had.
function M.attach_served()
  for _, bufnr in ipairs(vim.tbl_keys(served)) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      M.attach(bufnr)
    end
  end
end

---A refusal in the server's own words.
---@param refusal sightline.Refusal
---@return string
function M.words(refusal)
  local text = refusal.message
  if refusal.path and not text:find(refusal.path, 1, true) then
    text = refusal.path .. ": " .. text
  end
  if refusal.rule then
    text = ("%s [rule %s, from %s]"):format(text, refusal.rule, refusal.source or "settings")
  end
  return refusal.advice ~= "" and ("%s; %s"):format(text, refusal.advice) or text
end

---@param text string
---@param level integer
function M.tell(text, level)
  vim.notify("Sightline: " .. text, level)
end

---JSON's null as nil, all the way down. Neovim before 0.12 does so by itself.
---@param value any
---@return any
function M.plain(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) ~= "table" then
    return value
  end
  local plain = vim.islist(value) and {} or vim.empty_dict()
  for key, each in pairs(value) do
    plain[key] = M.plain(each)
  end
  return plain
end

-- Neovim 0.10 has functions in a client where later ones have methods.
---@param client vim.lsp.Client
---@param name string
---@param ... any
---@return any, any
function call(client, name, ...)
  if has_client_methods then
    return client[name](client, ...)
  end
  return client[name](...)
end

---@param bufnr integer
---@param root string
---@return boolean
function start(bufnr, root)
  local config = vim.deepcopy(vim.lsp.config and vim.lsp.config[M.name] or M.config())
  config.root_dir = root
  local reuse = config.reuse_client or reuse_client
  local is_started, id = pcall(vim.lsp.start, config, { bufnr = bufnr, reuse_client = reuse, silent = true })
  if not is_started or not id then
    M.tell("The server could not be started. See :checkhealth sightline.", vim.log.levels.ERROR)
    return false
  end
  states[id] = states[id] or "starting"
  return true
end

---@param client vim.lsp.Client
---@param config vim.lsp.ClientConfig
---@return boolean
function reuse_client(client, config)
  if client.name ~= M.name or states[client.id] == "stopping" or call(client, "is_stopped") then
    return false
  end
  if config.root_dir then
    add_folder(client, { uri = vim.uri_from_fname(config.root_dir), name = config.root_dir })
  end
  return true
end

---@type table<integer, table<string, true>> By client: folders that its server was told of.
local told_folders = {}

---@param client vim.lsp.Client
---@param folder lsp.WorkspaceFolder
function add_folder(client, folder)
  client.workspace_folders = client.workspace_folders or {}
  local is_listed = false
  for _, each in ipairs(client.workspace_folders) do
    is_listed = is_listed or each.uri == folder.uri
  end
  local told = told_folders[client.id]
  if not told then
    -- Those that are there before the first is added went with `initialize`.
    told = {}
    for _, each in ipairs(client.workspace_folders) do
      told[each.uri] = true
    end
    told_folders[client.id] = told
  end
  if not is_listed then
    table.insert(client.workspace_folders, folder)
  end
  -- Before it is initialized a server hears nothing: `LspAttach` asks again.
  if not told[folder.uri] and client.initialized then
    told[folder.uri] = true
    local event = { added = { folder }, removed = {} }
    call(client, "notify", "workspace/didChangeWorkspaceFolders", { event = event })
  end
end

-- Called outside the main loop.
---@param code integer
---@param signal integer
---@param client_id integer
function on_exit(code, signal, client_id)
  vim.schedule(function()
    local state = states[client_id]
    states[client_id], told_folders[client_id] = nil, nil
    if vim.v.exiting ~= vim.NIL then
      return
    end
    require("sightline.budget").forget_all()
    require("sightline.build").abandon(client_id)
    if is_restarting then
      is_restarting = false
      M.attach_served()
      return
    end
    local is_meant = code == 0 and (signal == 0 or signal == 15)
    if is_meant or state == "stopping" then
      return
    end
    local how = signal ~= 0 and ("signal %d"):format(signal) or ("exit code %d"):format(code)
    if state ~= "ready" then
      waiting = {}
      M.tell(("The server did not start (%s). See :checkhealth sightline."):format(how), vim.log.levels.ERROR)
      return
    end
    local now = os.time()
    restarts = vim.tbl_filter(function(time)
      return now - time < TEN_MINUTES
    end, restarts)
    if #restarts >= options.current.restarts then
      M.tell(
        ("The server stopped (%s). :SightlineRestart starts it again."):format(how),
        vim.log.levels.ERROR
      )
      return
    end
    table.insert(restarts, now)
    M.tell(("The server stopped (%s) and is started again."):format(how), vim.log.levels.WARN)
    M.attach_served()
  end)
end

return M
