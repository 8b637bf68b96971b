-- Context for a review, for diagnostics, for an issue and for a task file, and project packs.
local client = require("sightline.client")
local view = require("sightline.view")

local M = {}

local ask, read, show

---Shows the context for a review: of a range such as `main..feature`, or from a base to the files
---as they are.
---@param range? string
function M.review(range)
  local base, head = (range or ""):match("^(.-)%.%.+(.*)$")
  ask("sightline/buildRecipe", {
    recipe = "review",
    base = base or (range ~= "" and range or nil),
    head = head ~= "" and head or nil,
  }, "review")
end

---Shows the context for the diagnostics of the current buffer; of the cursor's line, if it has some.
function M.fix()
  local bufnr = vim.api.nvim_get_current_buf()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found = vim.diagnostic.get(bufnr, { lnum = line })
  found = #found > 0 and found or vim.diagnostic.get(bufnr)
  if #found == 0 then
    client.tell("There are no diagnostics here.", vim.log.levels.WARN)
    return
  end
  local uri = vim.uri_from_bufnr(bufnr)
  local diagnostics = vim.tbl_map(function(each)
    local start = { line = each.lnum, character = each.col }
    return {
      range = { start = start, ["end"] = start },
      severity = each.severity,
      message = each.message,
      code = each.code and tostring(each.code) or nil,
    }
  end, found)
  ask("sightline/buildRecipe", {
    recipe = "fix",
    report = vim.json.encode({ uri = uri, diagnostics = diagnostics }),
    fileUris = { uri },
  }, "fix")
end

---Shows the context for an issue: a file with its JSON or its text.
---@param path string
function M.issue(path)
  local issue = read(path)
  if issue then
    ask("sightline/buildRecipe", { recipe = "issue", issue = issue }, "issue")
  end
end

---Shows the context pack for a task file.
---@param path string
---@param tier? string
function M.task_pack(path, tier)
  local task = read(path)
  if task then
    ask("sightline/buildTaskPack", { task = task, tier = tier or "default" }, "task")
  end
end

---Shows a project pack: of the workspace, or of folders and files.
---@param type? string `auto`, `full`, `summary` or `map`
---@param paths? string[]
function M.pack(type, paths)
  local uris = vim.tbl_map(function(path)
    return vim.uri_from_fname(vim.fn.fnamemodify(vim.fn.expand(path), ":p"):gsub("(.)/$", "%1"))
  end, paths or {})
  local params = { type = type or "auto", uris = #uris > 0 and uris or nil }
  ask("sightline/buildProjectPack", params, "pack")
end

---@param method string
---@param params table
---@param name string of the page
function ask(method, params, name)
  client.with(function(server)
    local bufnr = vim.api.nvim_get_current_buf()
    if vim.bo[bufnr].buftype == "" and vim.api.nvim_buf_get_name(bufnr) ~= "" then
      params.textDocument = { uri = vim.uri_from_bufnr(bufnr) }
    end
    client.request(server, method, params, function(failure, raw)
      if failure then
        client.tell(failure.message, vim.log.levels.ERROR)
        return
      end
      show(name, client.plain(raw))
    end)
  end)
end

---@param name string
---@param result sightline.RecipeResult|sightline.TaskPackResult|sightline.ProjectPackResult
function show(name, result)
  if result.status ~= "ok" then
    client.tell(client.words(assert(result.refusal)), vim.log.levels.WARN)
    return
  end
  view.show({ name = name, text = assert(result.rendered), filetype = "markdown", title = "Context" })
end

---@param path string
---@return string? text nil where there is none, which is said
function read(path)
  local file = io.open(vim.fn.expand(path), "rb")
  if not file then
    client.tell("The file cannot be read: " .. path, vim.log.levels.WARN)
    return nil
  end
  local text = file:read("*a")
  file:close()
  return text
end

return M
