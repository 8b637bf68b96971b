-- Sightline: what an AI may see of your code. This is the interface; `:help sightline` explains it.
local M = {}

---Sets options and starts the server for files that are opened. Not needed on Neovim 0.11 and
---newer where `vim.lsp.enable("sightline")` is called and the defaults do.
---@param given? table<string, any> see |sightline-options|
function M.setup(given)
  if vim.fn.has("nvim-0.10") == 0 then
    error("Sightline needs Neovim 0.10 or newer", 0)
  end
  require("sightline.options").set(given)
  require("sightline.client").enable()
end

---Builds AI context for the cursor, for lines, or for the file, and shows it.
---@param asked? sightline.BuildOptions
function M.build(asked)
  require("sightline.build").here(asked)
end

---Asks for the task and its constraints, and builds AI context for the cursor.
---@param intent? string
function M.task(intent)
  require("sightline.build").task(intent)
end

---Selects the model whose limits count, while Neovim runs; without a name, asks for it.
---@param name? string
function M.model(name)
  require("sightline.pick").model(name)
end

---Builds for symbols by name; without names, asks for them.
---@param names? string[]
function M.pick(names)
  require("sightline.pick").pick(names or {})
end

---Shows the context for a review of a range (`main..feature`), or from a base to the files as they are.
---@param range? string
function M.review(range)
  require("sightline.recipes").review(range)
end

---Shows the context for the diagnostics at the cursor, or of the buffer.
function M.fix()
  require("sightline.recipes").fix()
end

---Shows the context for an issue: a file with its JSON or its text.
---@param path string
function M.issue(path)
  require("sightline.recipes").issue(path)
end

---Shows the context pack for a task file; the tier is `strong`, `default` or `cheap`.
---@param path string
---@param tier? string
function M.task_pack(path, tier)
  require("sightline.recipes").task_pack(path, tier)
end

---Shows a project pack: of the workspace, or of folders and files.
---@param type? string `auto`, `full`, `summary` or `map`
---@param paths? string[]
function M.pack(type, paths)
  require("sightline.recipes").pack(type, paths)
end

---For 'statusline': `%{%v:lua.require'sightline'.statusline()%}`. Empty if nothing is known.
---@return string
function M.statusline()
  return require("sightline.budget").statusline()
end

---What the server said last about a buffer; nil where it said nothing.
---@param bufnr? integer the current one by default
---@return sightline.BudgetStatusParams?
function M.status(bufnr)
  return require("sightline.budget").status(bufnr)
end

---Shows how the budget is spent.
function M.budget()
  require("sightline.budget").open()
end

---Shows what the symbol at the cursor, or the file, relates to.
---@param whole_file? boolean
function M.explain(whole_file)
  require("sightline.report").explain(whole_file or false)
end

---Shows what went into the last bundle.
function M.manifest()
  require("sightline.report").manifest()
end

---Says whether a build now gives the last bundle again.
function M.verify()
  require("sightline.report").verify()
end

---Yanks the last bundle.
---@param register? string by default the unnamed one and the clipboard
function M.yank(register)
  require("sightline.report").yank(register)
end

---Stores the bundle that was built last as a context snapshot in the repository.
function M.snapshot()
  require("sightline.snapshots").create()
end

---Lists context snapshots, the newest first, and asks what to do with the chosen one.
---@param of_file? boolean only those that show the current file
function M.snapshots(of_file)
  require("sightline.snapshots").list(of_file)
end

---Opens your own settings file.
function M.settings()
  require("sightline.client").execute("sightline.userSettings", {}, function(result)
    vim.cmd.split(vim.fn.fnameescape(result.path))
  end)
end

---Allows a rule that hides files of the workspace, if you answer the server's question so.
---@param rule? string by default the one that hides most
function M.allow(rule)
  require("sightline.build").allow(rule)
end

---Takes back what was allowed or marked as harmless last.
function M.undo()
  require("sightline.marks").undo()
end

---Restarts the server.
function M.restart()
  require("sightline.client").restart()
end

---Shows what the server logged.
function M.log()
  require("sightline.report").log()
end

return M
