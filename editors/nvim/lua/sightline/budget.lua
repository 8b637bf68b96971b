-- What a bundle would cost, as the server says it while a person types; and what one did cost.
local options = require("sightline.options")

local M = {}

local bar, count, draw, escape, look, of_result, open_float, short

local BAR_WIDTH = 24
local GAUGE_WIDTH = 60

---@type table<string, sightline.BudgetStatusParams> By URI; the last that the server sent.
local statuses = {}

---@class sightline.Look
---@field icon "ok"|"warn"|"refuse"|"none"
---@field group string
---@field text string

---What the server said last about a buffer; nil where it said nothing.
---@param bufnr? integer
---@return sightline.BudgetStatusParams?
function M.status(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local built = vim.b[bufnr].sightline_budget
  if built then
    return built
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  return name ~= "" and statuses[vim.uri_from_bufnr(bufnr)] or nil
end

---For 'statusline', in `%{%…%}`: tokens and limit in a highlight group; empty if nothing is known.
---@return string
function M.statusline()
  local text, group = M.component()
  return text and ("%%#%s#%s%%*"):format(group, escape(text)) or ""
end

---The text of the status and the highlight group that it is due; nil if nothing is known.
---@param bufnr? integer
---@return string? text, string? group
function M.component(bufnr)
  local status = M.status(bufnr)
  if not status then
    return nil, nil
  end
  local current, looks = options.current.statusline, look(status)
  local parts = vim.tbl_filter(function(part)
    return part ~= ""
  end, { current.label, current.icons[looks.icon], looks.text })
  return table.concat(parts, " "), looks.group
end

---Takes what the server sends.
---@param status sightline.BudgetStatusParams
function M.take(status)
  statuses[status.uri] = status
  M.announce(status)
  require("sightline.build").offer_complete(status)
end

---@param uri string
function M.forget(uri)
  statuses[uri] = nil
end

---What is known is of a server that is gone.
function M.forget_all()
  statuses = {}
  M.announce(nil)
end

---@param status? sightline.BudgetStatusParams
function M.announce(status)
  vim.api.nvim_exec_autocmds("User", { pattern = "SightlineStatus", modeline = false, data = status })
  vim.cmd.redrawstatus({ bang = true })
end

---@param result sightline.BuildResult
---@param uri string
---@return sightline.BudgetStatusParams
function M.of_result(result, uri)
  return of_result(result, uri)
end

---Shows how the budget is spent: by the bundle in this buffer, else by what would be built here.
function M.open()
  local status = M.status()
  if not status then
    local last = require("sightline.build").last
    status = last and of_result(last.result, last.uri) or nil
  end
  if not status then
    require("sightline.client").tell(
      "Nothing is known about a budget here: open a file of a project.",
      vim.log.levels.INFO
    )
    return
  end
  open_float(status)
end

---Groups a colour scheme may set itself.
function M.define_highlights()
  local links = {
    SightlineOk = "DiagnosticOk",
    SightlineWarn = "DiagnosticWarn",
    SightlineRefuse = "DiagnosticError",
    SightlineNone = "Comment",
    SightlineTitle = "Title",
    SightlineP0 = "DiagnosticInfo",
    SightlineP1 = "DiagnosticOk",
    SightlineP2 = "DiagnosticHint",
    SightlineP3 = "Comment",
    SightlineFree = "NonText",
    SightlineLimit = "DiagnosticError",
    SightlineSoftLimit = "DiagnosticWarn",
  }
  for name, target in pairs(links) do
    vim.api.nvim_set_hl(0, name, { default = true, link = target })
  end
end

---@param status sightline.BudgetStatusParams
---@return sightline.Look
function look(status)
  local refusal = status.refusal
  if status.decision == "none" then
    if refusal and refusal.kind == "SecretRisk" then
      return { icon = "refuse", group = "SightlineRefuse", text = "secret" }
    elseif refusal and refusal.kind == "IndexUnavailable" then
      return { icon = "none", group = "SightlineNone", text = "indexing" }
    end
    return { icon = "none", group = "SightlineNone", text = "withheld" }
  end
  local tokens = count(status.tokens)
  if (status.optionalTokens or 0) > 0 then
    tokens = ("%s + %s"):format(short(status.neededTokens), short(status.optionalTokens))
  end
  local text = ("%s/%s"):format(tokens, short(status.hardLimitTokens))
  if not status.indexComplete then
    text = text .. "…"
  end
  if status.decision == "refuse_hard_limit" then
    return { icon = "refuse", group = "SightlineRefuse", text = text }
  elseif status.decision == "warn_soft_limit" then
    return { icon = "warn", group = "SightlineWarn", text = text }
  end
  return { icon = "ok", group = "SightlineOk", text = text }
end

---@param result sightline.BuildResult
---@param uri string
---@return sightline.BudgetStatusParams
function of_result(result, uri)
  local report = assert(result.budget_report, "a bundle has a budget")
  local blocks = vim.deepcopy(report.blocks)
  table.insert(blocks, { title = "Framing", priority = "", tokens = report.framing_tokens })
  local symbols = result.manifest and result.manifest.selection.target_symbols or {}
  return {
    uri = uri,
    decision = report.decision,
    tokens = report.estimated_input_tokens,
    softLimitTokens = report.soft_limit_tokens,
    hardLimitTokens = report.hard_limit_tokens,
    symbol = symbols[1] and symbols[1]:match("::(.*)$"),
    blocks = blocks,
    indexComplete = true,
  }
end

---@alias sightline.Piece { [1]: string, [2]: string? } A text and its highlight group.

---@param status sightline.BudgetStatusParams
---@return sightline.Piece[][]
function draw(status)
  local looks = look(status)
  local name = vim.fn.fnamemodify(vim.uri_to_fname(status.uri), ":.")
  local heading = status.symbol and ("%s  %s"):format(status.symbol, name) or name
  local lines = { { { heading, "SightlineTitle" } }, {} } ---@type sightline.Piece[][]
  if status.refusal then
    local words = require("sightline.client").words(status.refusal)
    for _, line in ipairs(vim.split(words, "; ", { plain = true })) do
      table.insert(lines, { { line, looks.group } })
    end
    table.insert(lines, {})
  end
  if status.decision == "none" then
    return lines
  end
  local hard, soft = math.max(1, status.hardLimitTokens), status.softLimitTokens
  local gauge = {} ---@type sightline.Piece[]
  local used = math.min(GAUGE_WIDTH, math.ceil(GAUGE_WIDTH * status.tokens / hard))
  local mark = math.min(GAUGE_WIDTH - 1, math.floor(GAUGE_WIDTH * soft / hard))
  for cell = 0, GAUGE_WIDTH - 1 do
    if cell == mark then
      table.insert(gauge, { "┊", "SightlineSoftLimit" })
    elseif cell < used then
      table.insert(gauge, { "█", looks.group })
    else
      table.insert(gauge, { "░", "SightlineFree" })
    end
  end
  table.insert(gauge, { "┃", "SightlineLimit" })
  table.insert(lines, gauge)
  local share = math.floor(100 * status.tokens / hard + 0.5)
  table.insert(lines, {
    { ("%s of %s tokens, %d %%"):format(count(status.tokens), count(hard), share), looks.group },
    { "   ┊ warns at " .. count(soft), "SightlineSoftLimit" },
    { "   ┃ refuses past " .. count(hard), "SightlineLimit" },
  })
  table.insert(lines, {})
  local widest, largest = 0, 1
  for _, block in ipairs(status.blocks) do
    widest = math.max(widest, vim.fn.strdisplaywidth(block.title))
    largest = math.max(largest, block.tokens)
  end
  for _, block in ipairs(status.blocks) do
    local group = block.priority ~= "" and "Sightline" .. block.priority or "SightlineNone"
    local filled, rest = bar(block.tokens, largest)
    local padding = (" "):rep(widest - vim.fn.strdisplaywidth(block.title))
    table.insert(lines, {
      { ("%-2s  "):format(block.priority), group },
      { block.title .. padding .. "  " },
      { filled, group },
      { rest, "SightlineFree" },
      { ("  %6s"):format(count(block.tokens)) },
    })
  end
  return lines
end

---@param status sightline.BudgetStatusParams
function open_float(status)
  local pieces = draw(status)
  local lines, width = {}, 20
  for _, line in ipairs(pieces) do
    local text = " "
    for _, piece in ipairs(line) do
      text = text .. piece[1]
    end
    table.insert(lines, text)
    width = math.max(width, vim.fn.strdisplaywidth(text) + 1)
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  local namespace = vim.api.nvim_create_namespace("sightline.budget")
  for row, line in ipairs(pieces) do
    local column = 1
    for _, piece in ipairs(line) do
      if piece[2] then
        vim.api.nvim_buf_set_extmark(bufnr, namespace, row - 1, column, {
          end_col = column + #piece[1],
          hl_group = piece[2],
        })
      end
      column = column + #piece[1]
    end
  end
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].filetype = "sightline-budget"
  width = math.min(width, math.max(20, vim.o.columns - 4))
  local height = math.min(#lines, math.max(1, vim.o.lines - 6))
  local window = vim.api.nvim_open_win(bufnr, true, {
    relative = "editor",
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 2),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
    style = "minimal",
    border = "rounded",
    title = " AI context budget ",
    title_pos = "center",
  })
  vim.wo[window].wrap = true
  vim.wo[window].linebreak = true
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, function()
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_close(window, true)
      end
    end, { buffer = bufnr, nowait = true, desc = "Close the budget" })
  end
  vim.api.nvim_create_autocmd("WinLeave", {
    buffer = bufnr,
    once = true,
    callback = function()
      vim.schedule(function()
        if vim.api.nvim_win_is_valid(window) then
          vim.api.nvim_win_close(window, true)
        end
      end)
    end,
  })
end

---@param tokens integer
---@param largest integer
---@return string filled, string rest
function bar(tokens, largest)
  local cells = math.max(tokens > 0 and 1 or 0, math.floor(BAR_WIDTH * tokens / largest + 0.5))
  return ("█"):rep(cells), ("░"):rep(BAR_WIDTH - cells)
end

---A number with its thousands apart.
---@param number integer
---@return string
function count(number)
  local digits = ("%d"):format(number)
  local apart = digits:reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (apart:gsub("^,", ""))
end

---A limit, which need not be exact: `96k`.
---@param number integer
---@return string
function short(number)
  if number < 10000 then
    return count(number)
  end
  return number < 1000000 and ("%dk"):format(number / 1000) or ("%.1fM"):format(number / 1000000)
end

---@param text string
---@return string
function escape(text)
  return (text:gsub("%%", "%%%%"))
end

return M
