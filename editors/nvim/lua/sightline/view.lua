-- The window beside the code: bundles, manifests and explanations, read only, one window for all.
local options = require("sightline.options")

local M = {}

local buffer_for, fill, set_keys, winbar, window_for

local MOST_HIGHLIGHTED_BYTES = 2 * 1024 * 1024

---@class sightline.Page
---@field name string of the buffer, after `sightline://`
---@field text string what the buffer holds, to the byte
---@field filetype string
---@field title string stands above it
---@field budget? sightline.BudgetStatusParams of the bundle that this is
---@field places? table<integer, { path: string, line: integer }> by line: where <CR> leads

---Shows a page in the window for pages, which is opened where there is none.
---@param page sightline.Page
---@return integer bufnr
function M.show(page)
  local bufnr = buffer_for(page)
  fill(bufnr, page)
  local before = vim.api.nvim_get_current_win()
  local window = window_for(bufnr)
  vim.wo[window][0].winbar = winbar(page)
  vim.wo[window][0].wrap = false
  vim.api.nvim_win_set_cursor(window, { 1, 0 })
  vim.api.nvim_set_current_win(options.current.focus and window or before)
  return bufnr
end

---The page that a buffer shows; nil for other buffers.
---@param bufnr integer
---@return sightline.Page?
function M.page_of(bufnr)
  return M.pages[bufnr]
end

---@type table<integer, sightline.Page> By buffer.
M.pages = {}

---Goes to a line of a file, in a window that shows code.
---@param path string
---@param line integer
function M.go_to(path, line)
  if M.pages[vim.api.nvim_get_current_buf()] then
    vim.cmd.wincmd("p")
    if M.pages[vim.api.nvim_get_current_buf()] then
      vim.cmd.split()
    end
  end
  if vim.fn.bufnr(path) ~= vim.api.nvim_get_current_buf() then
    vim.cmd.normal({ "m'", bang = true })
    vim.cmd.edit(vim.fn.fnameescape(path))
  end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line, last)), 0 })
  vim.cmd.normal({ "zvzz^", bang = true })
end

---@param page sightline.Page
---@return integer
function buffer_for(page)
  local name = "sightline://" .. page.name
  for bufnr, known in pairs(M.pages) do
    if known.name == page.name and vim.api.nvim_buf_is_valid(bufnr) then
      return bufnr
    end
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, name)
  vim.bo[bufnr].buftype = "nofile"
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].undolevels = -1
  set_keys(bufnr)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = bufnr,
    callback = function()
      M.pages[bufnr] = nil
    end,
  })
  return bufnr
end

---@param bufnr integer
---@param page sightline.Page
function fill(bufnr, page)
  local lines = vim.split(page.text, "\n", { plain = true })
  local ends_with_newline = #lines > 1 and lines[#lines] == ""
  if ends_with_newline then
    table.remove(lines)
  end
  M.pages[bufnr] = page
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
  vim.bo[bufnr].fixendofline = false
  vim.bo[bufnr].endofline = ends_with_newline
  vim.b[bufnr].sightline_budget = page.budget
  -- Highlighting megabytes stalls the editor.
  local filetype = #page.text <= MOST_HIGHLIGHTED_BYTES and page.filetype or "text"
  if vim.bo[bufnr].filetype ~= filetype then
    vim.bo[bufnr].filetype = filetype
  end
end

---A window of this tab page that shows the buffer: the one that shows a page, else a new one.
---@param bufnr integer
---@return integer
function window_for(bufnr)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if M.pages[vim.api.nvim_win_get_buf(window)] then
      vim.api.nvim_win_set_buf(window, bufnr)
      return window
    end
  end
  local split = options.current.split
  if split == "tab" then
    vim.cmd.tabnew()
    local empty = vim.api.nvim_get_current_buf()
    vim.api.nvim_win_set_buf(0, bufnr)
    pcall(vim.api.nvim_buf_delete, empty, {})
    return vim.api.nvim_get_current_win()
  end
  local beside = vim.api.nvim_get_current_win()
  if vim.api.nvim_win_get_config(beside).relative ~= "" then
    -- A floating window cannot be split.
    beside = vim.fn.win_getid(vim.fn.winnr("#"))
  end
  return vim.api.nvim_open_win(bufnr, false, { split = split, win = beside ~= 0 and beside or -1 })
end

---@param page sightline.Page
---@return string
function winbar(page)
  local title = page.title:gsub("%%", "%%%%")
  local keys = page.places and "⏎ go there  q close" or "gy yank  gb budget  q close"
  return ("%%#SightlineTitle# %s %%*%%=%%#SightlineNone#%%<%s "):format(title, keys)
end

---@param bufnr integer
function set_keys(bufnr)
  ---@param key string
  ---@param description string
  ---@param run fun()
  local function map(key, description, run)
    vim.keymap.set("n", key, run, { buffer = bufnr, nowait = true, desc = description })
  end
  map("q", "Close this window", function()
    if #vim.api.nvim_list_wins() > 1 then
      vim.api.nvim_win_close(0, true)
    else
      vim.cmd.bprevious({ mods = { emsg_silent = true } })
    end
  end)
  map("gy", "Yank the bundle that was built last", function()
    require("sightline").yank()
  end)
  map("gm", "Manifest of the bundle", function()
    require("sightline").manifest()
  end)
  map("gb", "Budget", function()
    require("sightline").budget()
  end)
  map("<CR>", "Go to the place on this line", function()
    local page = M.pages[bufnr]
    local place = page and page.places and page.places[vim.api.nvim_win_get_cursor(0)[1]]
    if place then
      M.go_to(place.path, place.line)
    end
  end)
end

return M
