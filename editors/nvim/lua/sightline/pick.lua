-- Targets by name: the server looks names up, and a person chooses where one is not enough.
local build = require("sightline.build")
local client = require("sightline.client")

local M = {}

local ask, choose_symbol, find, full_name, params_for, resolve

local COMPLETION_MILLISECONDS = 400

---@class sightline.Symbol
---@field name string
---@field container? string
---@field uri string
---@field line integer counts from 1

---Builds for symbols by name; without names, asks for them one after the other.
---@param names string[]
function M.pick(names)
  client.with(function(server)
    if #names == 0 then
      ask(server, {})
    else
      resolve(server, names, {})
    end
  end)
end

---Names of the workspace that have a text in them.
---@param lead string
---@return string[]
function M.complete(lead)
  local server = client.of() or client.all()[1]
  local query = lead:match("[^.:]*$") or lead
  local found = server
    and client.request_now(server, "workspace/symbol", { query = query }, COMPLETION_MILLISECONDS)
  local names, is_known = {}, {}
  for _, symbol in ipairs(found or {}) do
    local name = symbol.containerName and ("%s.%s"):format(symbol.containerName, symbol.name) or symbol.name
    name = vim.startswith(name, lead) and name or symbol.name
    if not is_known[name] and vim.startswith(name:lower(), lead:lower()) then
      is_known[name] = true
      table.insert(names, name)
    end
  end
  table.sort(names)
  return names
end

---A name that the server knows as it is goes to it, which says if it is several symbols; for
---another, a person chooses among what resembles it.
---@param server vim.lsp.Client
---@param names string[]
---@param targets sightline.TargetParams[]
function resolve(server, names, targets)
  local name = names[#targets + 1]
  if not name then
    build.run(params_for(server, targets))
    return
  end
  ---@param target sightline.TargetParams
  local function go_on(target)
    table.insert(targets, target)
    resolve(server, names, targets)
  end
  find(server, name:match("[^.:]*$") or name, function(symbols)
    for _, symbol in ipairs(symbols) do
      if name:find("::", 1, true) or vim.endswith("." .. full_name(symbol), "." .. name) then
        go_on({ symbol = name })
        return
      end
    end
    if #symbols == 0 then
      -- The server says in its own words that there is none.
      go_on({ symbol = name })
    else
      choose_symbol(("Nothing is called '%s'. Which one is meant?"):format(name), symbols, go_on)
    end
  end)
end

---@param server vim.lsp.Client
---@param targets sightline.TargetParams[]
function ask(server, targets)
  local default = #targets == 0 and vim.fn.expand("<cword>") or ""
  vim.ui.input({ prompt = "Symbol: ", default = default }, function(query)
    if not query or query == "" then
      return
    end
    find(server, query, function(symbols)
      if #symbols == 0 then
        client.tell(("There is no symbol with '%s' in its name."):format(query), vim.log.levels.WARN)
        return
      end
      choose_symbol("Symbol", symbols, function(target)
        table.insert(targets, target)
        local now = ("Build for %d symbol%s"):format(#targets, #targets == 1 and "" or "s")
        vim.ui.select(
          { now, "Add another symbol" },
          { prompt = "AI context", kind = "sightline" },
          function(_, index)
            if index == 1 then
              build.run(params_for(server, targets))
            elseif index == 2 then
              ask(server, targets)
            end
          end
        )
      end)
    end)
  end)
end

---@param server vim.lsp.Client
---@param query string
---@param callback fun(symbols: sightline.Symbol[])
function find(server, query, callback)
  client.request(server, "workspace/symbol", { query = query }, function(failure, raw)
    if failure then
      client.tell(failure.message, vim.log.levels.ERROR)
      return
    end
    local symbols = {} ---@type sightline.Symbol[]
    for _, each in ipairs(client.plain(raw) or {}) do
      table.insert(symbols, {
        name = each.name,
        container = each.containerName,
        uri = each.location.uri,
        line = each.location.range.start.line + 1,
      })
    end
    callback(symbols)
  end)
end

---@param symbol sightline.Symbol
---@return string
function full_name(symbol)
  return symbol.container and ("%s.%s"):format(symbol.container, symbol.name) or symbol.name
end

---@param prompt string
---@param symbols sightline.Symbol[]
---@param callback fun(target: sightline.TargetParams)
function choose_symbol(prompt, symbols, callback)
  vim.ui.select(symbols, {
    prompt = prompt,
    kind = "sightline",
    format_item = function(symbol)
      local path = vim.fn.fnamemodify(vim.uri_to_fname(symbol.uri), ":.")
      return ("%s  %s:%d"):format(full_name(symbol), path, symbol.line)
    end,
  }, function(symbol)
    if symbol then
      callback({ uri = symbol.uri, symbol = ("%s:%d"):format(symbol.name, symbol.line) })
    end
  end)
end

---The file of the current buffer says which workspace folder names are looked for in.
---@param server vim.lsp.Client
---@param targets sightline.TargetParams[]
---@return sightline.BuildContextParams
function params_for(server, targets)
  for _, target in ipairs(targets) do
    if target.uri then
      return { targets = targets }
    end
  end
  local bufnr = vim.api.nvim_get_current_buf()
  if vim.bo[bufnr].buftype == "" and vim.lsp.buf_is_attached(bufnr, server.id) then
    return { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, targets = targets }
  end
  return { targets = targets }
end

---Selects the model whose limits count; without a name, asks for it.
---@param name? string
function M.model(name)
  ---@param chosen string
  local function set(chosen)
    local options = require("sightline.options")
    local settings = vim.tbl_deep_extend("force", options.current.settings, { model = { name = chosen } })
    options.current.settings = settings
    client.configure()
  end
  if name and name ~= "" then
    set(name)
    return
  end
  client.with(function(server)
    client.request(server, "sightline/models", vim.empty_dict(), function(failure, raw)
      local known = not failure and client.plain(raw) or nil ---@type sightline.ModelsResult?
      if not known or known.refusal then
        client.tell(
          known and client.words(known.refusal) or failure.message,
          vim.log.levels.ERROR
        )
        return
      end
      vim.ui.select(known.models, {
        prompt = known.note and ("Sightline: %s"):format(known.note) or "Sightline: select a model",
        kind = "sightline",
        format_item = function(entry)
          local mark = entry.model == known.selected and "* " or "  "
          return ("%s%s (%d tokens, %s)"):format(mark, entry.model, entry.max_input_tokens, entry.provider)
        end,
      }, function(entry)
        if entry then
          set(entry.model)
        end
      end)
    end)
  end)
end

return M
