-- What a person may set, checked when it is set.
local M = {}

local check, expect, is_list_of_words, refuse_unknown

---@class sightline.Icons
---@field ok string
---@field warn string
---@field refuse string
---@field none string

---@class sightline.StatuslineOptions
---@field label string stands in front of the numbers
---@field icons sightline.Icons

---@class sightline.Options
---@field cmd string[] starts the server
---@field settings table<string, any> the section `sightline` of the server's settings
---@field format? sightline.Format what |:BuildAIContext| writes unless told; by default the server's setting
---@field take_incomplete boolean whether a build takes what has been read instead of waiting for the index
---@field split "right"|"left"|"above"|"below"|"tab" where a bundle opens
---@field focus boolean whether the cursor goes to the bundle
---@field root_markers string[] files and folders that mark the root of a project
---@field restarts integer how often in ten minutes a server that crashed is started again
---@field statusline sightline.StatuslineOptions

---@type sightline.Options
local defaults = {
  cmd = { "sightline", "lsp" },
  settings = {},
  format = nil,
  take_incomplete = false,
  split = "right",
  focus = true,
  root_markers = { ".sightline.toml", ".git", ".hg" },
  restarts = 3,
  statusline = {
    label = "AI",
    icons = { ok = "●", warn = "▲", refuse = "✖", none = "○" },
  },
}

M.formats = { "json", "markdown", "xml" }
M.splits = { "right", "left", "above", "below", "tab" }

---@type sightline.Options
M.current = vim.deepcopy(defaults)

---Takes options over the defaults. A wrong one is an error that names it, and changes nothing.
---@param given? table<string, any>
function M.set(given)
  given = given or {}
  if type(given) ~= "table" then
    error("sightline.setup: a table is expected, not a " .. type(given), 0)
  end
  refuse_unknown("", given, vim.tbl_extend("force", defaults, { format = "" }))
  local merged = vim.tbl_deep_extend("force", defaults, given)
  for _, name in ipairs({ "cmd", "root_markers" }) do
    -- A list is replaced as a whole.
    merged[name] = given[name] or defaults[name]
  end
  check(merged)
  M.current = merged
end

---@param options table<string, any>
function check(options)
  expect(is_list_of_words(options.cmd) and #options.cmd > 0, "cmd", "a list of words")
  expect(type(options.settings) == "table", "settings", "a table")
  expect(
    options.format == nil or vim.tbl_contains(M.formats, options.format),
    "format",
    "one of " .. table.concat(M.formats, ", ")
  )
  expect(vim.tbl_contains(M.splits, options.split), "split", "one of " .. table.concat(M.splits, ", "))
  expect(type(options.take_incomplete) == "boolean", "take_incomplete", "true or false")
  expect(type(options.focus) == "boolean", "focus", "true or false")
  expect(is_list_of_words(options.root_markers), "root_markers", "a list of words")
  expect(
    type(options.restarts) == "number" and options.restarts >= 0 and options.restarts % 1 == 0,
    "restarts",
    "a whole number"
  )
  expect(type(options.statusline.label) == "string", "statusline.label", "a text")
  for name in pairs(defaults.statusline.icons) do
    expect(type(options.statusline.icons[name]) == "string", "statusline.icons." .. name, "a text")
  end
end

---@param value any
---@return boolean
function is_list_of_words(value)
  if type(value) ~= "table" or not vim.islist(value) then
    return false
  end
  for _, word in ipairs(value) do
    if type(word) ~= "string" then
      return false
    end
  end
  return true
end

---@param holds boolean
---@param name string
---@param expected string
function expect(holds, name, expected)
  if not holds then
    error(("sightline.setup: '%s' must be %s"):format(name, expected), 0)
  end
end

---@param prefix string
---@param given table<any, any>
---@param known table<string, any>
function refuse_unknown(prefix, given, known)
  for name, value in pairs(given) do
    local dotted = prefix .. tostring(name)
    if known[name] == nil then
      local names = vim.tbl_keys(known)
      table.sort(names)
      error(
        ("sightline.setup: there is no option '%s'; there are: %s"):format(dotted, table.concat(names, ", ")),
        0
      )
    end
    if vim.startswith(dotted, "statusline") and type(known[name]) == "table" then
      expect(type(value) == "table", dotted, "a table")
      refuse_unknown(dotted .. ".", value, known[name])
    end
  end
end

return M
