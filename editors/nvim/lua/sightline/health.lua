-- :checkhealth sightline
local client = require("sightline.client")
local options = require("sightline.options")

local M = {}

local check_clipboard, check_neovim, check_running, check_server, output

local TIMEOUT_MILLISECONDS = 10000

function M.check()
  check_neovim()
  if check_server() then
    check_running()
  end
  check_clipboard()
end

function check_neovim()
  vim.health.start("Neovim")
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok("Neovim " .. version)
  else
    vim.health.error("Neovim " .. version .. " is too old", "Sightline needs Neovim 0.10 or newer.")
  end
end

---@return boolean
function check_server()
  vim.health.start("Server")
  local cmd = client.command()
  if type(cmd) == "function" then
    vim.health.info("'cmd' is a function of your own.")
    return true
  end
  vim.health.info("command: " .. table.concat(cmd, " "))
  if vim.fn.executable(cmd[1]) == 0 then
    vim.health.error(("there is no '%s'"):format(cmd[1]), {
      "Install the server: run `pipx install .` in a clone of Sightline",
      "or say where it is: require('sightline').setup({ cmd = { '/path/to/sightline', 'lsp' } })",
    })
    return false
  end
  vim.health.ok(vim.fn.exepath(cmd[1]))
  local arguments = vim.tbl_filter(function(word)
    return word ~= "lsp" and word ~= "--stdio"
  end, cmd)
  local code, version = output(vim.list_extend(vim.deepcopy(arguments), { "--version" }))
  if code ~= 0 then
    vim.health.error(("it does not run (%d)"):format(code), {
      version,
      "Try it in a terminal: " .. table.concat(cmd, " "),
    })
    return false
  end
  vim.health.ok(version)
  return true
end

function check_running()
  vim.health.start("Running")
  local clients = client.all()
  if #clients == 0 then
    vim.health.info("No server runs: it starts with the first file of a project.")
  end
  for _, each in ipairs(clients) do
    vim.health.ok(("client %d, positions in %s"):format(each.id, each.offset_encoding))
    for _, folder in ipairs(each.workspace_folders or {}) do
      -- Any file of the folder says which one is meant; it need not be there.
      local uri = folder.uri:gsub("/$", "") .. "/.sightline.toml"
      local params = { textDocument = { uri = uri } }
      local status = client.request_now(each, "sightline/indexStatus", params, TIMEOUT_MILLISECONDS)
      local name = vim.uri_to_fname(folder.uri)
      if not status then
        vim.health.warn(name .. ": the server does not answer", "Try :SightlineRestart")
      elseif status.status ~= "ok" then
        vim.health.warn(("%s: %s"):format(name, client.words(status.refusal)))
      else
        local is_complete = status.index_complete and "complete" or ("%d files to go"):format(status.pending)
        vim.health.ok(
          ("%s: %d files, %d symbols, %s"):format(name, status.files, status.symbols, is_complete)
        )
      end
    end
  end
  if options.current.format then
    vim.health.info("format: " .. options.current.format)
  end
end

function check_clipboard()
  vim.health.start("Clipboard")
  if vim.fn.has("clipboard") == 1 then
    vim.health.ok(":SightlineYank reaches the clipboard")
  else
    vim.health.info(
      "There is no clipboard provider: :SightlineYank uses the unnamed register. See :help clipboard"
    )
  end
end

---@param command string[]
---@return integer code, string text
function output(command)
  local is_started, process = pcall(vim.system, command, { text = true })
  if not is_started then
    return -1, tostring(process)
  end
  local done = process:wait(TIMEOUT_MILLISECONDS)
  local text = vim.trim((done.stdout or "") ~= "" and done.stdout or done.stderr or "")
  return done.code, text
end

return M
