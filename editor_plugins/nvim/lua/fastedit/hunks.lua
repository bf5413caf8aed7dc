--- The changes between two lists of lines.

local M = {}

local CONTEXT = 3

---@class fastedit.Hunk lines [start_line, end_line) of the original, 0-based, become `lines`
---@field start_line integer
---@field end_line integer
---@field lines string[]
---@field is_chosen boolean

---@param lines string[]
---@return string
local function joined(lines)
  return #lines == 0 and "" or table.concat(lines, "\n") .. "\n"
end

--- The hunks that make one list of lines into another, in their order, all of them chosen.
---@param old string[]
---@param new string[]
---@return fastedit.Hunk[]
function M.between(old, new)
  local diff = vim.text and vim.text.diff or vim.diff
  local hunks = {}
  for _, place in ipairs(diff(joined(old), joined(new), { result_type = "indices" })) do
    local old_start, num_old, new_start, num_new = unpack(place)
    -- A range of no lines is numbered by the line before it, any other by its first line.
    local start_line = num_old == 0 and old_start or old_start - 1
    table.insert(hunks, {
      start_line = start_line,
      end_line = start_line + num_old,
      lines = vim.list_slice(new, new_start, new_start + num_new - 1),
      is_chosen = true,
    })
  end
  return hunks
end

--- The hunks that are chosen.
---@param hunks fastedit.Hunk[]
---@return fastedit.Hunk[]
function M.chosen(hunks)
  return vim.tbl_filter(function(hunk)
    return hunk.is_chosen
  end, hunks)
end

--- One hunk as a diff shows it, with some of the lines around it.
---@param hunk fastedit.Hunk
---@param old string[]
---@return string[]
function M.render(hunk, old)
  local first = math.max(0, hunk.start_line - CONTEXT)
  local last = math.min(#old, hunk.end_line + CONTEXT)
  local mark = hunk.is_chosen and "" or "  (left out)"
  local counts = ("@@ line %d: +%d -%d @@%s"):format(
    hunk.start_line + 1,
    #hunk.lines,
    hunk.end_line - hunk.start_line,
    mark
  )
  local shown = { counts }
  local function add(sign, lines, start, stop)
    for number = start, stop do
      table.insert(shown, sign .. lines[number])
    end
  end
  add(" ", old, first + 1, hunk.start_line)
  add(hunk.is_chosen and "-" or " ", old, hunk.start_line + 1, hunk.end_line)
  if hunk.is_chosen then
    add("+", hunk.lines, 1, #hunk.lines)
  end
  add(" ", old, hunk.end_line + 1, last)
  return shown
end

return M
