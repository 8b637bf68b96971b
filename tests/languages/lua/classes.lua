-- Classes by metatables, and a table that is returned as it is.

local Base = setmetatable({}, {
  __call = function(class, ...)
    return class.new(...)
  end,
})
Base.__index = Base

--- Makes one.
function Base.new(name)
  local self = setmetatable({}, Base)
  self.name = name
  self.greet = function() return "hi " .. name end
  return self
end

function Base:rename(name) self.name = name end

local Derived = Base:extend {
  init = function(self)
    Base.init(self)
  end,
}

setmetatable(Derived, { __index = Base })

return {
  Base = Base,
  Derived = Derived,
  util = require("util"),
  -- What a plugin offers.
  setup = function(options)
    options = options or {}
    return options
  end,
}
