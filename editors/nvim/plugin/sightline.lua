-- Registers the commands and nothing else: what they do is loaded when one of them is used.
if vim.g.loaded_sightline then
  return
end
vim.g.loaded_sightline = true

---@param name string
---@param description string
---@param run fun(command: vim.api.keyset.create_user_command.command_args)
---@param options? vim.api.keyset.user_command
local function command(name, description, run, options)
  options = vim.tbl_extend("error", { desc = description }, options or {})
  vim.api.nvim_create_user_command(name, run, options)
end

command(
  "BuildAIContext",
  "Build AI context for the symbol at the cursor, a range, or with ! the file",
  function(arguments)
    require("sightline").build({
      format = arguments.args ~= "" and arguments.args or nil,
      first_line = arguments.range > 0 and arguments.line1 or nil,
      last_line = arguments.range > 0 and arguments.line2 or nil,
      whole_file = arguments.bang,
    })
  end,
  {
    nargs = "?",
    range = true,
    bang = true,
    complete = function(lead)
      return vim.tbl_filter(function(format)
        return vim.startswith(format, lead)
      end, { "json", "markdown", "xml" })
    end,
  }
)

command("SightlinePick", "Build AI context for symbols by name", function(arguments)
  require("sightline").pick(arguments.fargs)
end, {
  nargs = "*",
  complete = function(lead)
    return require("sightline.pick").complete(lead)
  end,
})

command("SightlineTask", "Build AI context for a task, which it asks for", function(arguments)
  require("sightline").task(arguments.args)
end, { nargs = "*" })

command("SightlineReview", "Context for a review of the change", function(arguments)
  require("sightline").review(arguments.args)
end, { nargs = "?" })

command("SightlineFix", "Context for the diagnostics at the cursor, or of the buffer", function()
  require("sightline").fix()
end)

command("SightlineIssue", "Context for an issue, which is in a file", function(arguments)
  require("sightline").issue(arguments.args)
end, { nargs = 1, complete = "file" })

command("SightlineTaskPack", "Context pack for a task file", function(arguments)
  require("sightline").task_pack(arguments.fargs[1], arguments.fargs[2])
end, { nargs = "+", complete = "file" })

command("SightlinePack", "What the project is: a pack of it, or of folders", function(arguments)
  require("sightline").pack(arguments.fargs[1], vim.list_slice(arguments.fargs, 2))
end, { nargs = "*", complete = "dir" })

command("SightlineModel", "Select the model whose limits count", function(arguments)
  require("sightline").model(arguments.args)
end, { nargs = "?" })

command("SightlineYank", "Yank the AI context that was built last", function(arguments)
  require("sightline").yank(arguments.args ~= "" and arguments.args or nil)
end, { nargs = "?" })

command("SightlineManifest", "What went into the AI context that was built last", function()
  require("sightline").manifest()
end)

command(
  "SightlineExplain",
  "What the symbol at the cursor, or with ! the file, relates to",
  function(arguments)
    require("sightline").explain(arguments.bang)
  end,
  { bang = true }
)

command("SightlineBudget", "How the token budget is spent", function()
  require("sightline").budget()
end)

command("SightlineVerify", "Whether the AI context that was built last is what a build gives now", function()
  require("sightline").verify()
end)

command("SightlineSnapshot", "Store the AI context that was built last as a snapshot", function()
  require("sightline").snapshot()
end)

command(
  "SightlineSnapshots",
  "List context snapshots, with ! those that show the file; show, verify or compare one",
  function(arguments)
    require("sightline").snapshots(arguments.bang)
  end,
  { bang = true }
)

command("SightlineSettings", "Open your own Sightline settings", function()
  require("sightline").settings()
end)

command("SightlineAllow", "Allow a rule that hides files, in this workspace", function(arguments)
  require("sightline").allow(arguments.args ~= "" and arguments.args or nil)
end, { nargs = "?" })

command("SightlineUndo", "Take back what was allowed or marked as harmless last", function()
  require("sightline").undo()
end)

command("SightlineRestart", "Restart the Sightline server", function()
  require("sightline").restart()
end)

command("SightlineLog", "What the Sightline server logged", function()
  require("sightline").log()
end)
