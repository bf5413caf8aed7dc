--- A buffer as the text that writing it would give, and changes to it as one undo step.

local M = {}

local ENDS = { unix = "\n", dos = "\r\n", mac = "\r" }

--- The buffer's text with its line ends, or nil and why it has none that could be sent.
---@param buffer integer
---@return string|nil, string|nil
function M.text(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  for number, line in ipairs(lines) do
    if line:find("[%z\n]") then -- a NUL, which some versions give as a line feed
      return nil, ("line %d has a NUL character: it isn't text"):format(number)
    end
  end
  local options = vim.bo[buffer]
  local line_end = ENDS[options.fileformat]
  if M.is_empty(buffer) then
    return ""
  end
  return table.concat(lines, line_end) .. (options.endofline and line_end or "")
end

--- Whether the buffer has no line at all, though the interface shows one.
---@param buffer integer
---@return boolean
function M.is_empty(buffer)
  return vim.api.nvim_buf_call(buffer, function()
    return vim.fn.line2byte(vim.fn.line("$") + 1) == -1
  end)
end

--- A text as the buffer's lines, and whether its last line has an end.
---@param text string
---@param fileformat string
---@return string[] lines, boolean has_end
function M.lines(text, fileformat)
  if fileformat == "dos" then
    text = text:gsub("\r\n", "\n")
  elseif fileformat == "mac" then
    text = text:gsub("\r", "\n")
  end
  local lines = vim.split(text, "\n", { plain = true })
  local has_end = lines[#lines] == ""
  if has_end then
    table.remove(lines)
  end
  return lines, has_end
end

--- Puts hunks into the buffer, as one undo step of their own; the marks of other lines stay.
---@param buffer integer
---@param hunks fastedit.Hunk[] in their order
---@param has_end boolean whether the last line is to have an end
function M.change(buffer, hunks, has_end)
  vim.api.nvim_buf_call(buffer, function()
    vim.bo.undolevels = vim.bo.undolevels -- ends the undo step that may be open
    if M.is_empty(buffer) then
      vim.api.nvim_buf_set_lines(buffer, 0, -1, true, hunks[1] and hunks[1].lines or {})
      hunks = {}
    end
    for number = #hunks, 1, -1 do
      local hunk = hunks[number]
      vim.api.nvim_buf_set_lines(buffer, hunk.start_line, hunk.end_line, true, hunk.lines)
    end
    if vim.bo.endofline ~= has_end then
      vim.bo.endofline = has_end
      vim.bo.fixendofline = vim.bo.fixendofline and has_end
    end
  end)
end

--- The buffer's file as the service is to know it, or nil.
---@param buffer integer
---@return string|nil
function M.path(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == "" then
    return nil
  end
  return (vim.fn.fnamemodify(name, ":."):gsub("\\", "/"))
end

return M
