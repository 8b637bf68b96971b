-- For lualine: sections = { lualine_x = { "sightline" } }. Colours follow the budget.
local component = require("lualine.component"):extend()

local LINKS = { "SightlineOk", "SightlineWarn", "SightlineRefuse", "SightlineNone" }

---@param options table
function component:init(options)
  component.super.init(self, options)
  require("sightline.budget").define_highlights()
  self.groups = {}
  for _, name in ipairs(LINKS) do
    local group = vim.api.nvim_get_hl(0, { name = name, link = false })
    local colour = group.fg and { fg = ("#%06x"):format(group.fg) } or name
    self.groups[name] = self:create_hl(colour, name)
  end
  -- By itself lualine looks once in a second.
  vim.api.nvim_create_autocmd("User", {
    group = vim.api.nvim_create_augroup("sightline.lualine", { clear = true }),
    pattern = "SightlineStatus",
    callback = function()
      local is_loaded, lualine = pcall(require, "lualine")
      if is_loaded then
        lualine.refresh({ place = { "statusline" } })
      end
    end,
  })
end

---@return string
function component:update_status()
  local text, group = require("sightline.budget").component()
  if not text then
    return ""
  end
  return self:format_hl(self.groups[group]) .. text:gsub("%%", "%%%%")
end

return component
