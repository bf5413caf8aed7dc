local json = require("json")
local M = {}

-- Adds.
function M.add(a, b)
  return a + b
end

function M:close()
  self.open = false
end

local function helper(x)
  return x
end

M.run = function(x)
  local f = function() end
  return x
end

local handlers = {
  click = function(e)
    return e
  end,
}

return M
