-- A build as the server wrote it.
--
-- Neovim before 0.12 drops JSON's nulls when it reads a message, and a record counts to the last
-- field: what the contract always has, and is not there, was null.
local M = {}

local restore, scalar, written

---@class sightline.Shape
---@field nulls? string[] fields that are null where they are missing
---@field parts? table<string, sightline.Shape>
---@field each? sightline.Shape of a list

---@param names string
---@param parts? table<string, sightline.Shape>
---@return sightline.Shape
local function shape(names, parts)
  return { nulls = vim.split(names, " ", { trimempty = true }), parts = parts }
end

local relation = shape("symbol hops evidence")
local file = shape("relation", { relation = relation })
local wanted = shape("path line end_line column symbol")
local block = shape("", {
  meta = shape(
    "path symbol hash level language document_version reason score relation check likeness",
    { relation = relation, further_relations = { each = relation } }
  ),
})
local build = shape("bundle manifest redaction_report budget_report refusal rendered", {
  bundle = shape("", { blocks = { each = block } }),
  manifest = shape("", {
    selection = shape("", {
      included_files = { each = file },
      excluded_candidates = { each = shape("rule rule_source score symbol") },
      optional_files = { each = file },
    }),
  }),
  request = shape("active intent last_error plan_step", {
    active = wanted,
    targets = { each = wanted },
    user_selected_targets = { each = wanted },
    last_error = shape("path line code"),
  }),
  settings = shape("", {
    budget = shape(
      "max_input_tokens max_output_tokens response_token_reserve soft_limit_threshold_pct estimator"
    ),
  }),
})

---The record of a build: what `sightline/verify` and `sightline verify` read.
---@param raw table
---@return table
function M.of(raw)
  local record = restore(vim.deepcopy(raw), build)
  -- These say when it was answered, which is no part of a build.
  record.revision, record.current_revision = nil, nil
  return record
end

---JSON for people: one field on a line, sorted by name.
---@param value any
---@return string
function M.as_json(value)
  return written(value, "") .. "\n"
end

---@param value any
---@param as sightline.Shape
---@return any
function restore(value, as)
  if type(value) ~= "table" then
    return value
  end
  if as.each then
    for _, each in ipairs(value) do
      restore(each, as.each)
    end
    return value
  end
  for _, name in ipairs(as.nulls or {}) do
    if value[name] == nil then
      value[name] = vim.NIL
    end
  end
  for name, part in pairs(as.parts or {}) do
    restore(value[name], part)
  end
  return value
end

---@param value any
---@param indent string
---@return string
function written(value, indent)
  if type(value) ~= "table" then
    return scalar(value)
  end
  local deeper, parts = indent .. "  ", {}
  local is_list = vim.islist(value) and getmetatable(value) ~= getmetatable(vim.empty_dict())
  if is_list then
    for _, each in ipairs(value) do
      table.insert(parts, deeper .. written(each, deeper))
    end
  else
    local names = vim.tbl_keys(value)
    table.sort(names)
    for _, name in ipairs(names) do
      table.insert(parts, ("%s%s: %s"):format(deeper, vim.json.encode(name), written(value[name], deeper)))
    end
  end
  local opening, closing = is_list and "[" or "{", is_list and "]" or "}"
  if #parts == 0 then
    return opening .. closing
  end
  return ("%s\n%s\n%s%s"):format(opening, table.concat(parts, ",\n"), indent, closing)
end

---@param value any
---@return string
function scalar(value)
  -- The encoder escapes slashes, which nobody needs to read.
  return (vim.json.encode(value):gsub("\\/", "/"))
end

return M
