-- Names whose kind is plain: what makes them is the `new` of a table.

local Client = require("clients").Client
local stores = require("stores")

local client = Client:new { name = "main" }
local store = stores.Store.new("main")
shared = stores.Store:new()
local count, other = Client:new(), Client:new()
local made = stores.build()

local Service = {}

function Service:open(name)
  local session = Client.new(name)
  self.client = Client:new(name)
  self.store, self.other = stores.Store.new(), nil
  self.names[1] = Client:new(name)
  return session:begin(count, made)
end

return Service
