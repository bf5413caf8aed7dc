--- Server-sent events out of a stream of text, as far as a service that answers one request needs them.

local M = {}

---@class fastedit.EventParser
local Parser = {}
Parser.__index = Parser

---@return fastedit.EventParser
function M.new()
  -- Pieces of a line whose end hasn't come are joined once: lines can be large.
  return setmetatable({ partial = {}, name = "message", data = {} }, Parser)
end

--- Takes in a line; an empty one ends an event and gives it.
---@param line string
---@return { name: string, data: string }|nil
function Parser:take(line)
  if line ~= "" then
    local field, value = line:match("^(%a+): ?(.*)$")
    if field == "event" then
      self.name = value
    elseif field == "data" then
      table.insert(self.data, value)
    end
    return nil
  end
  local event = { name = self.name, data = table.concat(self.data, "\n") }
  local is_empty = #self.data == 0
  self.name, self.data = "message", {}
  return not is_empty and event or nil
end

--- The events that are complete with this text, which may be cut anywhere.
---@param text string
---@return { name: string, data: string }[]
function Parser:feed(text)
  local events = {}
  local start = 1
  while true do
    local stop = text:find("\n", start, true)
    if not stop then
      break
    end
    table.insert(self.partial, text:sub(start, stop - 1))
    local line = table.concat(self.partial):gsub("\r$", "")
    self.partial = {}
    table.insert(events, self:take(line))
    start = stop + 1
  end
  table.insert(self.partial, text:sub(start))
  return events
end

return M
