-- Ünïcode
local M = {}

-- Says it.
function M.say(word,
               loud)
  print(word)
  -- done
end

M.table = {
  a = 1,
}

return M