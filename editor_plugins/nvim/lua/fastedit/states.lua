--- The states that one edit goes through on its way into a buffer; `editor_plugins/states.json` describes them,
--- and a test compares the two.

local M = {}

M.initial = "idle"

---@type table<string, table<string, string>>
M.transitions = {
  idle = { start = "streaming" },
  streaming = {
    progress = "streaming",
    result = "preview",
    unchanged = "idle",
    refuse = "refused",
    stale = "conflict",
    cancel = "idle",
  },
  preview = { choose = "preview", accept = "applied", discard = "idle", stale = "conflict" },
  applied = { close = "idle", start = "streaming" },
  refused = { close = "idle", start = "streaming" },
  conflict = { close = "idle", start = "streaming" },
}

---@class fastedit.Machine
---@field state string
local Machine = {}
Machine.__index = Machine

--- A machine in the first state.
---@return fastedit.Machine
function M.new()
  return setmetatable({ state = M.initial }, Machine)
end

--- Whether the state knows the event.
---@param event string
---@return boolean
function Machine:can(event)
  return M.transitions[self.state][event] ~= nil
end

--- Takes the step; an event that the state doesn't know is a bug of ours and raises an error.
---@param event string
---@return string state
function Machine:send(event)
  local after = M.transitions[self.state][event]
  if not after then
    error(("no event %s in state %s"):format(event, self.state))
  end
  self.state = after
  return after
end

return M
