-- Pages about a build or a place: the manifest, an explanation, what differs, the log.
local build = require("sightline.build")
local client = require("sightline.client")
local view = require("sightline.view")

local M = {}

local candidate_line, explanation, last_or_tell

---Shows the manifest of the last build.
function M.manifest()
  local last = last_or_tell()
  if last then
    local record = require("sightline.record")
    view.show({
      name = "manifest",
      text = record.as_json(record.of(last.raw).manifest),
      filetype = "json",
      title = "Manifest",
    })
  end
end

---Shows what the symbol at the cursor relates to, or the file; and whether the file is in the
---bundle that was built last.
---@param whole_file boolean
function M.explain(whole_file)
  local bufnr = vim.api.nvim_get_current_buf()
  if vim.bo[bufnr].buftype ~= "" then
    client.tell("Put the cursor into a file of the project.", vim.log.levels.WARN)
    return
  end
  client.with(function(server)
    local params = vim.lsp.util.make_position_params(0, server.offset_encoding) --[[@as table]]
    if whole_file then
      params.position = nil
    end
    local uri = params.textDocument.uri
    local root = require("sightline.roots").of_uri(server, uri) or vim.fs.dirname(vim.uri_to_fname(uri))
    local last = build.last
    if last and last.root == root and last.uri ~= uri then
      local name = last.result.manifest.selection.target_symbols[1] or ""
      params.target = { uri = last.uri, symbol = name:match("::(.+)$") }
    end
    client.request(server, "sightline/explain", params, function(failure, raw)
      if failure then
        client.tell(failure.message, vim.log.levels.ERROR)
        return
      end
      local result = client.plain(raw) --[[@as sightline.ExplainResult]]
      if result.status ~= "ok" then
        client.tell(client.words(assert(result.refusal)), vim.log.levels.WARN)
        return
      end
      view.show(explanation(result, root, last))
    end)
  end)
end

---Derives the last build again and says whether it is the same.
function M.verify()
  local last = last_or_tell()
  if not last then
    return
  end
  client.with(function(server)
    local params = {
      result = require("sightline.record").of(last.raw),
      textDocument = { uri = last.uri },
    }
    client.request(server, "sightline/verify", params, function(failure, raw)
      local result = client.plain(raw) --[[@as sightline.VerifyResult?]]
      if failure or not result then
        client.tell(failure and failure.message or "There was no answer.", vim.log.levels.ERROR)
      elseif result.refusal then
        client.tell(client.words(result.refusal), vim.log.levels.WARN)
      elseif result.status == "verified" then
        client.tell("Verified: a build gives the same bundle now.", vim.log.levels.INFO)
      else
        local lines = { "What a build now gives is another:" }
        for _, each in ipairs(result.differences) do
          table.insert(lines, ("  %s  %s  %s"):format(each.what, each.where, each.detail))
        end
        client.tell(table.concat(lines, "\n"), vim.log.levels.WARN)
      end
    end)
  end)
end

---Yanks the last bundle, to the byte: into a register, else into the unnamed one and the clipboard.
---@param register? string
function M.yank(register)
  local last = last_or_tell()
  if not last then
    return
  end
  local text = last.text
  local kind = vim.endswith(text, "\n") and "V" or "v"
  local registers = register and { register } or vim.fn.has("clipboard") == 1 and { '"', "+" } or { '"' }
  for _, each in ipairs(registers) do
    if not each:find('^[%a%d"+*_-]$') then
      client.tell(("There is no register '%s'."):format(each), vim.log.levels.ERROR)
      return
    end
    vim.fn.setreg(each, text, kind)
  end
  local tokens = assert(last.result.budget_report).estimated_input_tokens
  client.tell(("Yanked %d tokens."):format(tokens), vim.log.levels.INFO)
end

---Shows what the server wrote to Neovim's log.
function M.log()
  local lines = {}
  local file = io.open(vim.lsp.log.get_filename(), "r")
  if file then
    for line in file:lines() do
      if line:find("sightline", 1, true) then
        table.insert(lines, line)
      end
    end
    file:close()
  end
  local text = #lines > 0 and table.concat(lines, "\n") .. "\n" or "The server has logged nothing.\n"
  local title = "Log of the Sightline server"
  local bufnr = view.show({ name = "log", text = text, filetype = "log", title = title, places = {} })
  local window = vim.fn.bufwinid(bufnr)
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(bufnr), 0 })
end

---@return sightline.Built?
function last_or_tell()
  if not build.last then
    client.tell("Nothing was built yet: :BuildAIContext builds.", vim.log.levels.INFO)
  end
  return build.last
end

---@param result sightline.ExplainResult
---@param root string
---@param last? sightline.Built
---@return sightline.Page
function explanation(result, root, last)
  local lines, places = {}, {}
  ---@param text string
  ---@param path? string
  ---@param line? integer
  local function add(text, path, line)
    table.insert(lines, text)
    if path and line then
      places[#lines] = { path = root .. "/" .. path, line = line }
    end
  end
  local name = result.symbol and result.symbol ~= "" and result.symbol or result.path
  add(("%s  %s  %s:%d"):format(name, result.kind, result.path, result.line), result.path, result.line)
  if result.candidate then
    add("")
    add(candidate_line(result.candidate, last))
  end
  local kind ---@type string?
  for _, relation in ipairs(result.relations) do
    if relation.kind ~= kind then
      kind = relation.kind
      add("")
      add(kind)
    end
    for _, target in ipairs(relation.targets) do
      local symbol = target.symbol and ("::" .. target.symbol) or ""
      add(
        ("  %-9s  %s%s:%d"):format(relation.confidence, target.path, symbol, target.line),
        target.path,
        target.line
      )
    end
    local evidence = relation.evidence
    add(
      ("             by %s:%d %s"):format(evidence.path, evidence.line, evidence.name),
      evidence.path,
      evidence.line
    )
  end
  if #result.relations == 0 then
    add("")
    add("It relates to nothing that is known.")
  end
  if not result.index_complete then
    add("")
    add("The index is not complete yet.")
  end
  return {
    name = "explain",
    text = table.concat(lines, "\n") .. "\n",
    filetype = "sightline-explain",
    title = "Relations of " .. name,
    places = places,
  }
end

---@param candidate sightline.ExplainCandidate
---@param last? sightline.Built
---@return string
function candidate_line(candidate, last)
  local target = last and (last.result.manifest.selection.target_symbols[1] or last.uri) or "the target"
  if candidate.status == "included" then
    return ("in the bundle for %s: %s, %s, %s"):format(
      target,
      candidate.reason,
      candidate.level,
      candidate.priority
    )
  elseif candidate.status == "excluded" then
    local rule = candidate.rule and (" [%s]"):format(candidate.rule) or ""
    return ("left out of the bundle for %s: %s%s"):format(target, candidate.reason, rule)
  end
  return ("not in the bundle for %s"):format(target)
end

return M
