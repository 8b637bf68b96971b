-- Context snapshots: store the last bundle as one, list them, show what was sent, compare two.
local client = require("sightline.client")
local view = require("sightline.view")

local M = {}

local act, ask, choose, compare, line_of, show

local SHORT_ID = 13

---Stores the bundle that was built last as a snapshot in the repository.
function M.create()
  local last = require("sightline.build").last
  if not last then
    client.tell("Nothing was built yet: :BuildAIContext builds.", vim.log.levels.WARN)
    return
  end
  ask({
    action = "create",
    result = require("sightline.record").of(last.raw),
    createdBy = "human:" .. (vim.env.USER or vim.env.USERNAME or "unknown"),
    textDocument = { uri = last.uri },
  }, function(result)
    client.tell(("Stored. To link a commit to it: %s"):format(result.trailer), vim.log.levels.INFO)
  end)
end

---Lists the snapshots, the newest first, and asks what to do with the chosen one.
---@param of_file? boolean only those that show the current file
function M.list(of_file)
  local path
  if of_file then
    local root = require("sightline.roots").of_buffer(vim.api.nvim_get_current_buf())
    local name = vim.fs.normalize(vim.api.nvim_buf_get_name(0))
    if not root or not vim.startswith(name, root .. "/") then
      client.tell("This is no file of a project.", vim.log.levels.WARN)
      return
    end
    path = name:sub(#root + 2)
  end
  ask({ action = "list", path = path }, function(result)
    if #result.snapshots == 0 then
      client.tell("There are no snapshots yet: :SightlineSnapshot stores one.", vim.log.levels.WARN)
      return
    end
    local entries = vim.fn.reverse(vim.deepcopy(result.snapshots))
    choose(entries, "Context snapshot", function(entry)
      act(entry, entries)
    end)
  end)
end

---@param entry sightline.SnapshotEntry
---@param entries sightline.SnapshotEntry[]
function act(entry, entries)
  local actions = {
    { "Show what it holds", "show" },
    { "Show what was sent", "cat" },
    { "Verify", "verify" },
    { "Compare with another", "diff" },
  }
  vim.ui.select(actions, {
    prompt = "Snapshot " .. entry.object_id:sub(1, SHORT_ID),
    format_item = function(each)
      return each[1]
    end,
  }, function(chosen)
    if not chosen then
      return
    end
    local action = chosen[2]
    if action == "diff" then
      compare(entry, entries)
      return
    end
    ask({ action = action, id = entry.object_id }, function(result)
      show(action .. " " .. entry.object_id, result, action == "cat" and "markdown" or "")
    end)
  end)
end

---The older of the two comes first, whichever was chosen first.
---@param entry sightline.SnapshotEntry
---@param entries sightline.SnapshotEntry[]
function compare(entry, entries)
  local others = vim.tbl_filter(function(each)
    return each.object_id ~= entry.object_id
  end, entries)
  choose(others, "Compare with", function(other)
    local ids = { entry.object_id, other.object_id }
    table.sort(ids)
    ask({ action = "diff", id = ids[1], other = ids[2] }, function(result)
      show("diff " .. ids[1] .. " " .. ids[2], result, "diff")
    end)
  end)
end

---@param entries sightline.SnapshotEntry[]
---@param prompt string
---@param chosen fun(entry: sightline.SnapshotEntry)
function choose(entries, prompt, chosen)
  vim.ui.select(entries, { prompt = prompt, format_item = line_of }, function(entry)
    if entry then
      chosen(entry)
    end
  end)
end

---@param entry sightline.SnapshotEntry
---@return string
function line_of(entry)
  local time = entry.created_at:sub(1, 19):gsub("T", " ")
  local about = entry.summary or ("%d items"):format(entry.items)
  return ("%s  %s  %s  %s"):format(time, entry.created_by, entry.object_id:sub(1, SHORT_ID), about)
end

---@param params table
---@param answered fun(result: sightline.SnapshotResult)
function ask(params, answered)
  client.with(function(server)
    local bufnr = vim.api.nvim_get_current_buf()
    local is_file = vim.bo[bufnr].buftype == "" and vim.api.nvim_buf_get_name(bufnr) ~= ""
    if not params.textDocument and is_file then
      params.textDocument = { uri = vim.uri_from_bufnr(bufnr) }
    end
    client.request(server, "sightline/snapshot", params, function(failure, raw)
      local result = client.plain(raw) --[[@as sightline.SnapshotResult?]]
      if failure or not result then
        client.tell(failure and failure.message or "There was no answer.", vim.log.levels.ERROR)
      elseif result.refusal then
        client.tell(client.words(result.refusal), vim.log.levels.WARN)
      else
        answered(result)
      end
    end)
  end)
end

---@param name string of the page
---@param result sightline.SnapshotResult
---@param filetype string
function show(name, result, filetype)
  view.show({ name = name, text = result.rendered or "", filetype = filetype, title = "Snapshot" })
end

return M
