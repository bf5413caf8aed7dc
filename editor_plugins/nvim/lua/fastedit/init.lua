--- FastEdit in Neovim: edits as coding assistants write them, into buffers. See |fastedit|.

local M = {}

--- The latest session of each buffer.
---@type table<integer, fastedit.Session>
local sessions = {}
---@type fastedit.Session|nil
local latest

--- Changes settings; see |fastedit-settings|. Needn't be called.
---@param settings table|nil
function M.setup(settings)
  require("fastedit.config").set(settings)
end

--- Makes a session that of its files; edits that are still under way for these are given up.
---@param session fastedit.Session
---@param files fastedit.File[]
local function take_over(session, files)
  for _, file in ipairs(files) do
    local before = sessions[file.buffer]
    if before and before ~= session then
      before:cancel()
      before:discard()
    end
    sessions[file.buffer] = session
  end
end

--- Asks for an edit to be merged into a buffer, and shows a preview of it; a message about several files is for all of
--- them. An edit that is still under way for the buffer is given up.
---@param edit string
---@param options { buffer: integer|nil, mode: string|nil, instruction: string|nil, choose: integer|nil }|nil
---@return fastedit.Session
function M.apply(edit, options)
  options = options or {}
  local buffer = options.buffer or 0
  buffer = buffer == 0 and vim.api.nvim_get_current_buf() or buffer
  local before = sessions[buffer]
  if before then
    before:cancel()
    before:discard()
  end
  latest = require("fastedit.session").start({
    buffer = buffer,
    edit = edit,
    mode = options.mode,
    instruction = options.instruction,
    choose = options.choose,
    on_turn = take_over,
    on_choice = function(number)
      M.apply(edit, { buffer = buffer, mode = options.mode, instruction = options.instruction, choose = number })
    end,
  })
  sessions[buffer] = latest
  return latest
end

--- The latest session, or nil.
---@return fastedit.Session|nil
function M.session()
  return latest
end

--- For a status line: the latest edit's state and what there is to say of it; "" where there is none under way.
---@return string
function M.status()
  local state = latest and latest.machine.state or "idle"
  return state == "idle" and "" or ("%s: %s"):format(state, latest:status())
end

--- Does to the latest edit what its preview's keys do.
---@param action "accept"|"discard"|"cancel"
function M.act(action)
  if latest then
    latest[action](latest)
  end
end

return M
