-- Builds: what is asked for, what is shown, and what a person can do about a refusal.
local client = require("sightline.client")
local options = require("sightline.options")

local M = {}

local allow_rule, answer, choose, file_uri, offer_for_secret, refuse, target_of, tell_hidden, title_of

local CANCELLED, OVERTAKEN = -32800, -32801

---@class sightline.Built
---@field raw table the result as it came
---@field text string what is shown and yanked
---@field result sightline.BuildResult
---@field params sightline.BuildContextParams
---@field uri string of the file that it was built for
---@field root string the workspace folder
---@field is_offered? boolean whether it was offered to build it again from the whole index

---@type sightline.Built? The bundle that was built last.
M.last = nil

---@type { client_id: integer, request_id: integer }?
local running
local sent = 0

---@class sightline.BuildOptions
---@field format? sightline.Format
---@field first_line? integer with `last_line` the lines that are meant
---@field last_line? integer
---@field whole_file? boolean
---@field intent? string what is to be done
---@field constraints? sightline.ConstraintParams[] what must hold

---Builds for the cursor, for lines, or for the file of the current buffer. In the window of a
---bundle, builds that one again.
---@param asked? sightline.BuildOptions
function M.here(asked)
  asked = asked or {}
  if asked.format and not vim.tbl_contains(options.formats, asked.format) then
    client.tell(
      ("There is no format '%s': use %s."):format(asked.format, table.concat(options.formats, ", ")),
      vim.log.levels.ERROR
    )
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  if M.last and require("sightline.view").page_of(bufnr) then
    M.run(vim.tbl_extend("force", M.last.params, { format = asked.format or M.last.params.format }))
    return
  end
  local cursor = vim.api.nvim_win_get_cursor(0)
  client.with(function(server)
    local params = {
      textDocument = { uri = vim.uri_from_bufnr(bufnr) },
      format = asked.format,
      intent = asked.intent,
      constraints = asked.constraints,
    }
    if asked.first_line and asked.last_line then
      params.range = {
        start = { line = asked.first_line - 1, character = 0 },
        ["end"] = { line = asked.last_line, character = 0 },
      }
      if asked.last_line >= vim.api.nvim_buf_line_count(bufnr) then
        local line = vim.api.nvim_buf_get_lines(bufnr, asked.last_line - 1, asked.last_line, false)[1] or ""
        params.range["end"] =
          { line = asked.last_line - 1, character = M.width(line, server.offset_encoding) }
      end
    elseif not asked.whole_file then
      local line = vim.api.nvim_buf_get_lines(bufnr, cursor[1] - 1, cursor[1], false)[1] or ""
      local before = line:sub(1, cursor[2])
      params.position = { line = cursor[1] - 1, character = M.width(before, server.offset_encoding) }
    end
    M.run(params)
  end)
end

---Asks for the task and its constraints, and builds for the cursor.
---@param intent? string
function M.task(intent)
  ---@param task? string
  local function with_task(task)
    if not task then
      return
    end
    vim.ui.input({ prompt = "What must hold, separated by semicolons: " }, function(written)
      if not written then
        return
      end
      local constraints = {}
      for _, text in ipairs(vim.split(written, ";", { trimempty = true })) do
        if vim.trim(text) ~= "" then
          table.insert(constraints, { text = vim.trim(text) })
        end
      end
      M.here({ intent = vim.trim(task) ~= "" and vim.trim(task) or nil, constraints = constraints })
    end)
  end
  if intent and intent ~= "" then
    with_task(intent)
  else
    vim.ui.input({ prompt = "What is to be done: " }, with_task)
  end
end

---Builds, and shows the bundle or what a refusal offers. A build that is under way is given up.
---@param params sightline.BuildContextParams
function M.run(params)
  client.with(function(server)
    if running then
      local former = vim.lsp.get_client_by_id(running.client_id)
      if former then
        client.cancel(former, running.request_id)
      end
    end
    sent = sent + 1
    local number = sent
    local message = vim.tbl_extend("force", params, {
      format = params.format or options.current.format,
      takeIncomplete = params.takeIncomplete or options.current.take_incomplete,
      workDoneToken = "sightline-build-" .. number,
    })
    local id = client.request(server, "sightline/buildContext", message, function(failure, raw)
      if number ~= sent then
        return
      end
      running = nil
      if failure and failure.code == OVERTAKEN then
        M.run(params)
      elseif failure then
        if failure.code ~= CANCELLED then
          client.tell(failure.message, vim.log.levels.ERROR)
        end
      else
        answer(server, params, raw)
      end
    end)
    running = id and { client_id = server.id, request_id = id } or nil
  end)
end

---A server is gone, and what was asked of it with it.
---@param client_id integer
function M.abandon(client_id)
  if running and running.client_id == client_id then
    running = nil
    client.tell("The build was lost with the server: build again.", vim.log.levels.WARN)
  end
end

---Offers to build again what was built from a part of the index, once all of it is read.
---@param status sightline.BudgetStatusParams
function M.offer_complete(status)
  local built = M.last
  if not built or built.result.index_complete or built.is_offered or not status.indexComplete then
    return
  end
  built.is_offered = true
  vim.ui.select({ "Build again", "Keep it" }, {
    prompt = "Sightline: the index is complete now; the AI context was built from a part of it",
    kind = "sightline",
  }, function(choice)
    if choice == "Build again" and M.last == built then
      M.run(built.params)
    end
  end)
end

---How long a text is in an encoding's units.
---@param text string
---@param encoding string
---@return integer
function M.width(text, encoding)
  if encoding == "utf-8" then
    return #text
  end
  return encoding == "utf-32" and vim.fn.strchars(text) or vim.fn.strutf16len(text)
end

---@param server vim.lsp.Client
---@param params sightline.BuildContextParams
---@param raw table
function answer(server, params, raw)
  local result = client.plain(raw) --[[@as sightline.BuildResult]]
  local asked = file_uri(params)
  local root = require("sightline.roots").of_uri(server, asked) or server.root_dir or vim.fn.getcwd()
  if result.status ~= "ok" then
    refuse(assert(result.refusal, "a refused build says why"), params, root)
    return
  end
  local first = assert(result.manifest).selection.target_files[1]
  local uri = first and vim.uri_from_fname(root .. "/" .. first) or asked or vim.uri_from_fname(root)
  local format = params.format or options.current.format or result.settings.render.format
  local text = assert(result.rendered)
  if format == "json" then
    -- For programs: the whole record. What a model reads is in its `rendered`.
    local record = require("sightline.record")
    text = record.as_json(record.of(raw))
  end
  M.last = { raw = raw, text = text, result = result, params = params, uri = uri, root = root }
  local report = assert(result.budget_report)
  require("sightline.view").show({
    name = "context",
    text = text,
    filetype = format,
    title = title_of(result),
    budget = require("sightline.budget").of_result(result, uri),
  })
  if report.decision == "warn_soft_limit" then
    client.tell(
      ("%d tokens, past the soft limit of %d."):format(
        report.estimated_input_tokens,
        report.soft_limit_tokens
      ),
      vim.log.levels.WARN
    )
  end
  tell_hidden(result, root)
  vim.api.nvim_exec_autocmds("User", { pattern = "SightlineBuilt", modeline = false })
end

---@type table<string, true> Rules that this session was told about, with their workspaces.
local told = {}

---Says, once for each rule and workspace, how many files a rule hides and what allows it.
---@param result sightline.BuildResult
---@param root string
function tell_hidden(result, root)
  local lines = {}
  for _, each in ipairs(assert(result.manifest).hidden) do
    local key = root .. "\0" .. each.rule
    if not told[key] then
      told[key] = true
      local form = "The rule %s hides %s%d source %s; :SightlineAllow %s allows it in this workspace."
      local least = each.at_least and "at least " or ""
      local noun = each.files == 1 and "file" or "files"
      table.insert(lines, form:format(each.rule, least, each.files, noun, each.rule))
    end
  end
  if #lines > 0 then
    client.tell(table.concat(lines, "\n"), vim.log.levels.WARN)
  end
end

---Has the server ask whether a rule that hid files from the last build may go.
---@param rule? string by default the one that hides most
function M.allow(rule)
  local last = M.last
  if not last then
    client.tell("Nothing was built yet: :BuildAIContext builds.", vim.log.levels.INFO)
    return
  end
  local first = last.result.manifest.hidden[1]
  rule = rule or first and first.rule
  if rule then
    allow_rule(rule, last.params, last.root)
  else
    client.tell("No rule hides files of this workspace.", vim.log.levels.INFO)
  end
end

---Has the server ask whether a rule that hides files of this workspace may go; then builds again.
---@param rule string
---@param params sightline.BuildContextParams
---@param root string
function allow_rule(rule, params, root)
  -- Any name in the folder tells which workspace is meant.
  local asked = { textDocument = { uri = vim.uri_from_fname(root .. "/.sightline.toml") }, rule = rule }
  require("sightline.marks").run("sightline.allowPath", asked, function()
    M.run(params)
  end)
end

---Offers what can be done about a refusal; says why where that is nothing, or is not wanted.
---@param refusal sightline.Refusal
---@param params sightline.BuildContextParams
---@param root string
function refuse(refusal, params, root)
  local choices = {} ---@type { label: string, run: fun() }[]
  ---@param label string
  ---@param run fun()
  local function offer(label, run)
    table.insert(choices, { label = label, run = run })
  end
  if refusal.kind == "AmbiguousTarget" then
    for _, candidate in ipairs(refusal.candidates) do
      offer(candidate, function()
        local selected = vim.list_extend({}, params.userSelectedTargets or {})
        table.insert(selected, target_of(candidate, root))
        M.run(vim.tbl_extend("force", params, { userSelectedTargets = selected }))
      end)
    end
  elseif refusal.kind == "ContextTooLarge" then
    for _, candidate in ipairs(refusal.candidates) do
      offer("Build for " .. candidate, function()
        local targets = { target_of(candidate, root) }
        M.run({ textDocument = params.textDocument, targets = targets, format = params.format })
      end)
    end
    if refusal.smallest_budget then
      offer(("Build with %d input tokens, this time"):format(refusal.smallest_budget), function()
        M.run(vim.tbl_extend("force", params, { model = { maxInputTokens = refusal.smallest_budget } }))
      end)
    end
  elseif refusal.kind == "SecretRisk" and refusal.path then
    for _, line in ipairs(refusal.lines or {}) do
      offer(("Go to line %d of %s"):format(line, refusal.path), function()
        require("sightline.view").go_to(root .. "/" .. refusal.path, line)
      end)
    end
    offer_for_secret(refusal, params, root, offer)
  elseif refusal.source == "default:never_send" and refusal.rule and not refusal.path then
    -- There is no such symbol, and a rule hides files that it may stand in.
    offer(("Allow %s in this workspace"):format(refusal.rule), function()
      allow_rule(refusal.rule, params, root)
    end)
  elseif
    refusal.reason == "deny_rule"
    and refusal.path
    and vim.startswith(refusal.source or "", "default:")
    -- What belongs to version control yields to nobody.
    and refusal.source ~= "default:version_control"
  then
    offer(("Allow %s in this workspace"):format(refusal.path), function()
      local file = { textDocument = { uri = vim.uri_from_fname(root .. "/" .. refusal.path) } }
      require("sightline.marks").run("sightline.allowPath", file, function()
        M.run(params)
      end)
    end)
  end
  choose(refusal, choices)
end

---Offers what the server says can be done about a secret.
---@param refusal sightline.Refusal
---@param params sightline.BuildContextParams
---@param root string
---@param offer fun(label: string, run: fun())
function offer_for_secret(refusal, params, root, offer)
  for _, action in ipairs(refusal.actions) do
    if action.kind == "redact_once" then
      offer("Redact it, this time", function()
        M.run(vim.tbl_extend("force", params, { redactTarget = true }))
      end)
    elseif action.kind == "mark_harmless" and action.line then
      local found = action.detector and (" (%s)"):format(action.detector) or ""
      offer(("Mark line %d%s as harmless in this workspace"):format(action.line, found), function()
        local value = {
          textDocument = { uri = vim.uri_from_fname(root .. "/" .. refusal.path) },
          position = { line = action.line - 1, character = 0 },
          detector = action.detector,
        }
        require("sightline.marks").run("sightline.markHarmless", value, function()
          M.run(params)
        end)
      end)
    end
  end
end

---The prompt says what was refused: a message beforehand would have to be confirmed first.
---@param refusal sightline.Refusal
---@param choices { label: string, run: fun() }[]
function choose(refusal, choices)
  if #choices == 0 then
    client.tell(client.words(refusal), vim.log.levels.WARN)
    return
  end
  vim.ui.select(choices, {
    prompt = ("Sightline: %s"):format(refusal.message),
    kind = "sightline",
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if choice then
      choice.run()
    else
      client.tell(client.words(refusal), vim.log.levels.WARN)
    end
  end)
end

---A choice as the server writes it: `path::symbol:LINE`, `path::symbol` or `path`.
---@param candidate string
---@param root string
---@return sightline.TargetParams
function target_of(candidate, root)
  local path, symbol = candidate:match("^(.-)::(.+)$")
  return { uri = vim.uri_from_fname(root .. "/" .. (path or candidate)), symbol = symbol }
end

---@param params sightline.BuildContextParams
---@return string?
function file_uri(params)
  if params.textDocument then
    return params.textDocument.uri
  end
  for _, target in
    ipairs(vim.list_extend(vim.list_extend({}, params.targets or {}), params.userSelectedTargets or {}))
  do
    if target.uri then
      return target.uri
    end
  end
  return nil
end

---@param result sightline.BuildResult
---@return string
function title_of(result)
  local selection = assert(result.manifest).selection
  local names = {}
  for _, symbol in
    ipairs(#selection.target_symbols > 0 and selection.target_symbols or selection.target_files)
  do
    local path, name = symbol:match("^(.-)::(.+)$")
    table.insert(names, name and ("%s · %s"):format(name, path) or symbol)
  end
  local shown = table.concat(names, ", ", 1, math.min(2, #names))
  local title = #names > 2 and ("%s and %d more"):format(shown, #names - 2) or shown
  return result.index_complete and title or title .. " (index not complete)"
end

return M
