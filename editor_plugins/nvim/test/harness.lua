--- Tests as functions with names; the last line printed has the counts, and the editor's status is 1 if any failed.

local M = {}

local WAIT_MS = 30000
local counts = { passed = 0, all = 0 }

---@param text string
local function print_line(text)
  io.stdout:write(text .. "\n")
end

--- Runs a test.
---@param name string
---@param run fun()
function M.test(name, run)
  counts.all = counts.all + 1
  local ok, problem = xpcall(run, debug.traceback)
  counts.passed = counts.passed + (ok and 1 or 0)
  print_line(("%s %s"):format(ok and "ok  " or "FAIL", name))
  if not ok then
    print_line("     " .. tostring(problem):gsub("\n", "\n     "))
  end
end

--- Raises an error unless both are the same, as deep as they go.
function M.equal(actual, expected, what)
  if not vim.deep_equal(actual, expected) then
    local text = ("%sis\n%s\nnot\n%s"):format(what and what .. " " or "", vim.inspect(actual), vim.inspect(expected))
    error(text, 2)
  end
end

--- Raises an error unless the text has the pattern.
function M.has(text, pattern)
  if not tostring(text):find(pattern) then
    error(("%q hasn't %q"):format(tostring(text), pattern), 2)
  end
end

--- Waits until the condition holds; raises an error if it doesn't in time.
---@param what string
---@param condition fun(): boolean
function M.await(what, condition)
  if not vim.wait(WAIT_MS, condition, 2) then
    error("waited in vain: " .. what, 2)
  end
end

---@param text string
function M.note(text)
  print_line("     " .. text)
end

--- Prints the counts and ends the editor.
---@param name string
function M.finish(name)
  print_line(("\n%s=%d/%d"):format(name, counts.passed, counts.all))
  vim.cmd(counts.passed == counts.all and counts.all > 0 and "qall!" or "cquit!")
end

return M
