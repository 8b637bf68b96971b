-- What a person allowed or marked as harmless in a workspace, and how to take it back.
--
-- The server asks before anything is written; here the person is told what came of it.
local client = require("sightline.client")

local M = {}

local words

---@type sightline.TakeBackParams? What takes back what was written last.
local last

---Runs a command that asks the person, says what was written, and remembers how to take it back.
---@param command "sightline.allowPath"|"sightline.markHarmless"
---@param params sightline.AllowPathParams|sightline.MarkHarmlessParams
---@param on_done? fun()
function M.run(command, params, on_done)
  client.execute(command, { params }, function(result)
    local changed = result.changed
    if not changed then
      return
    end
    last = { textDocument = params.textDocument, rule = changed.rule, mark = changed.id }
    client.tell(words(result) .. " :SightlineUndo takes it back.", vim.log.levels.INFO)
    if on_done then
      on_done()
    end
  end)
end

---Takes back what was allowed or marked last.
function M.undo()
  if not last then
    client.tell("Nothing was allowed or marked since Neovim started.", vim.log.levels.WARN)
    return
  end
  client.execute("sightline.takeBack", { last }, function(result)
    last = nil
    local what = result.allowance and result.allowance.rule or "a value of " .. result.mark.file
    client.tell(("Taken back: %s."):format(what), vim.log.levels.INFO)
  end)
end

---@param result sightline.AllowResult|sightline.HarmlessResult
---@return string
function words(result)
  local changed = result.changed
  if changed.rule then
    return ("%s is allowed in the workspace %s."):format(changed.rule, result.root)
  end
  local form = "A value of %s (%s) is marked as harmless in the workspace %s."
  return form:format(changed.file, changed.detector, result.root)
end

return M
