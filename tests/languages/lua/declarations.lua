#!/usr/bin/env lua
--- A module in the usual form: a table that is filled and returned.

local json = require "cjson"
local insert = require("table.nice").insert
require("strict").on()

-- The module table.
local M = {}

-- Not attached: a blank line stands between.

local MAX_SIZE <const> = 10
local handle <close> = open()
local first, second = 1, 2
local undefined
DEBUG = false

M._VERSION = "1.0"
M.json = require("cjson.safe")
M.defaults = {
  name = "größe",
  size = 3,
}

---Adds two numbers.
---@param a number
---@param b number
---@return number
function M.add(a, b)
  return a + b
end

--[[ A method of a table
     in a table. ]]
function M.shapes.circle:area(scale, ...)
  local pi = 3.14
  local function square(x)
    return x * x
  end
  return pi * square(self.radius) * scale
end

local function helper(text)
  -- before
  print(text) -- beside
  -- after
end

function global_function() end

local lambda = function(x) return x end

M.on_change = function(self, key,
                       value)
  self[key] = value
  goto done
  ::done::
end

M["on error"] = function() end

-- Only a comment in it.
local function to_be_done()
  -- later
end

-- Functions in a table belong to the table.
local handlers = {
  limit = 10,
  -- Opens it.
  open = function(path) return io.open(path) end,
  ["close"] = function() end,
  nested = {
    deep = function(self)
      return self
    end,
  },
  [1] = function() return "has no name" end,
}

if DEBUG then
  function M.trace() print(debug.traceback()) end
else
  M.trace = function() end
end

do
  local hidden = 1
  local function counter()
    hidden = hidden + 1
  end
end

for _, name in ipairs({ "a", "b" }) do
  M[name] = function() return name end
end

describe("a block of a test", function()
  local subject = M.add(1, 2)

  local function fixture()
    return subject
  end

  it("works", function() fixture() end)
end)

local text = [[
function not_a_function() end
]]

return M
