--- A floating window with the changes as they would be, and keys to accept them, in whole or in part.

local config = require("fastedit.config")
local hunks = require("fastedit.hunks")

local M = {}

---@class fastedit.Preview
---@field buffer integer
---@field window integer
local Preview = {}
Preview.__index = Preview

---@class fastedit.PreviewOptions
---@field title string
---@field files fastedit.File[] with their hunks
---@field warnings string[]
---@field on_accept fun()
---@field on_choose fun()
---@field on_close fun() the window is gone, whatever the reason

---@param text string
---@return string
local function one_line(text)
  return (text:gsub("[%c]+", " "))
end

---@param num_lines integer
---@param widest integer
---@return table
local function geometry(num_lines, widest)
  local columns, rows = vim.o.columns, vim.o.lines - vim.o.cmdheight - 1
  local width = math.max(20, math.min(columns - 4, math.max(60, widest + 1)))
  local height = math.max(1, math.min(rows - 4, num_lines))
  return {
    relative = "editor",
    width = width,
    height = height,
    row = math.max(0, math.floor((rows - height) / 2) - 1),
    col = math.max(0, math.floor((columns - width) / 2) - 1),
    style = "minimal",
    border = "rounded",
  }
end

---@param options fastedit.PreviewOptions
---@return fastedit.Preview
function M.open(options)
  local self = setmetatable({ options = options, is_open = true }, Preview)
  self.buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[self.buffer].bufhidden = "wipe"
  local lines = self:render()
  local widest = 0
  for _, line in ipairs(lines) do
    widest = math.max(widest, vim.fn.strdisplaywidth(line))
  end
  vim.cmd("stopinsert")
  self.window = vim.api.nvim_open_win(self.buffer, true, geometry(#lines, widest))
  vim.wo[self.window].wrap = false
  vim.wo[self.window].cursorline = true
  vim.bo[self.buffer].filetype = "diff"
  self:set_keys()
  self:go(1)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = self.buffer,
    once = true,
    callback = function()
      self.is_open = false
      vim.schedule(options.on_close)
    end,
  })
  return self
end

--- Writes the buffer anew. Gives its lines.
---@return string[]
function Preview:render()
  local keys = config.values.keys
  local lines = { "# " .. one_line(self.options.title) }
  for _, warning in ipairs(self.options.warnings) do
    table.insert(lines, "# " .. one_line(warning))
  end
  local discard = type(keys.discard) == "table" and keys.discard[1] or keys.discard
  table.insert(lines, ("# %s accept   %s discard   %s leave a hunk out"):format(keys.accept, discard, keys.toggle))
  self.hunks, self.starts = {}, {}
  for _, file in ipairs(self.options.files) do
    if #self.options.files > 1 then
      table.insert(lines, "+++ " .. one_line(file.path))
    end
    for _, hunk in ipairs(file.hunks) do
      table.insert(self.hunks, hunk)
      table.insert(self.starts, #lines + 1)
      vim.list_extend(lines, hunks.render(hunk, file.old))
    end
  end
  vim.bo[self.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(self.buffer, 0, -1, true, lines)
  vim.bo[self.buffer].modifiable = false
  return lines
end

--- The number of the hunk that the cursor is in, 0 above the first one.
---@return integer
function Preview:current()
  local row = vim.api.nvim_win_get_cursor(self.window)[1]
  local current = 0
  for number, start in ipairs(self.starts) do
    current = row >= start and number or current
  end
  return current
end

--- Goes to a hunk, if there is one of that number.
---@param number integer
function Preview:go(number)
  if self.starts[number] then
    vim.api.nvim_win_set_cursor(self.window, { self.starts[number], 0 })
  end
end

--- Leaves the hunk at the cursor out, or takes it back in.
function Preview:toggle()
  local number = self:current()
  local hunk = self.hunks[number]
  if hunk then
    hunk.is_chosen = not hunk.is_chosen
    self:render()
    self:go(number)
    self.options.on_choose()
  end
end

function Preview:close()
  if self.is_open and vim.api.nvim_win_is_valid(self.window) then
    vim.api.nvim_win_close(self.window, true)
  end
end

function Preview:set_keys()
  local actions = {
    accept = self.options.on_accept,
    discard = function()
      self:close()
    end,
    toggle = function()
      self:toggle()
    end,
    next = function()
      self:go(self:current() + 1)
    end,
    previous = function()
      self:go(self:current() - 1)
    end,
  }
  for name, action in pairs(actions) do
    local keys = config.values.keys[name]
    for _, key in ipairs(type(keys) == "table" and keys or { keys }) do
      vim.keymap.set("n", key, action, { buffer = self.buffer, nowait = true, desc = "FastEdit: " .. name })
    end
  end
end

return M
