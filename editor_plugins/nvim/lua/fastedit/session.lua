--- One edit on its way into a buffer.

local buffer = require("fastedit.buffer")
local client = require("fastedit.client")
local config = require("fastedit.config")
local hunks = require("fastedit.hunks")
local places = require("fastedit.places")
local preview = require("fastedit.preview")
local states = require("fastedit.states")

local M = {}

local SHOW_PROGRESS_AFTER_MS = 300
local LEVELS = vim.log.levels
-- Warnings that say no more than the preview does.
local QUIET = { NOTE = true, NO_CHANGE = true }

---@class fastedit.Session
---@field buffer integer
---@field machine fastedit.Machine
---@field message string what the person was told last
---@field preview_ms number from the request to the preview
local Session = {}
Session.__index = Session

---@param text string
---@param level integer|nil
local function notify(text, level)
  vim.notify("FastEdit: " .. text, level or LEVELS.INFO, { title = "FastEdit" })
end

---@class fastedit.SessionOptions
---@field buffer integer
---@field edit string
---@field mode string|nil
---@field instruction string|nil

--- Asks for an edit to be merged into a buffer; the preview, or a message, follows.
---@param options fastedit.SessionOptions
---@return fastedit.Session
function M.start(options)
  local self = setmetatable({
    buffer = options.buffer,
    options = options,
    machine = states.new(),
    started = vim.loop.hrtime(),
    message = "",
    num_done = 0,
  }, Session)
  self.machine:send("start")
  local original, problem = buffer.text(options.buffer)
  if not original then
    self:refuse(client.refusal("NOT_TEXT", problem))
    return self
  end
  self.original = original
  self.fileformat = vim.bo[options.buffer].fileformat
  self.old = buffer.lines(original, self.fileformat)
  self:ask()
  return self
end

---@return number
function Session:elapsed_ms()
  return (vim.loop.hrtime() - self.started) / 1e6
end

function Session:ask()
  local path = buffer.path(self.buffer)
  local filetype = vim.bo[self.buffer].filetype
  self.cancel_request = client.apply(config.service(), {
    original = self.original,
    edit = self.options.edit,
    mode = self.options.mode or config.values.mode,
    instruction = self.options.instruction,
    path = path,
    language = not path and filetype ~= "" and filetype or nil,
  }, {
    on_span = function(end_line)
      self.machine:send("progress")
      self.num_done = end_line
      self:show_progress()
    end,
    on_result = function(result)
      self:take(result)
    end,
    on_refusal = function(refusal)
      self:refuse(refusal)
    end,
  })
end

--- How far the answer is, or what became of it, in a line.
---@return string
function Session:status()
  if self.machine.state == "streaming" then
    return ("%d of %d lines, %d ms"):format(self.num_done, #self.old, self:elapsed_ms())
  end
  return self.message
end

function Session:show_progress()
  local elapsed = self:elapsed_ms()
  if elapsed > SHOW_PROGRESS_AFTER_MS and elapsed - (self.shown_ms or 0) > 100 then
    self.shown_ms = elapsed
    vim.api.nvim_echo({ { "FastEdit: " .. self:status() } }, false, {})
  end
end

--- Whether the buffer still is what was sent.
---@return boolean
function Session:is_current()
  return vim.api.nvim_buf_is_loaded(self.buffer) and buffer.text(self.buffer) == self.original
end

---@param result fastedit.Result
function Session:take(result)
  if not self:is_current() then
    return self:conflict()
  end
  if result.text == self.original then
    self.machine:send("unchanged")
    return self:say("the edit is in the file already (NO_CHANGE)")
  end
  local new, has_end = buffer.lines(result.text, self.fileformat)
  self.has_end = has_end
  self.hunks = hunks.between(self.old, new)
  self.result = result
  self.machine:send("result")
  self:open_preview()
end

function Session:open_preview()
  local warnings = {}
  for _, warning in ipairs(self.result.warnings) do
    if not QUIET[warning.code] then
      table.insert(warnings, ("warning: %s (%s)"):format(warning.message, warning.code))
    end
  end
  self.preview_ms = self:elapsed_ms()
  self.message = self:describe()
  self.preview = preview.open({
    title = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(self.buffer), ":t") .. ": " .. self.message,
    hunks = self.hunks,
    old = self.old,
    warnings = warnings,
    on_accept = function()
      self:accept()
    end,
    on_choose = function()
      self.machine:send("choose")
    end,
    on_close = function()
      self:discard()
    end,
  })
end

--- The result in a line, such as `2 hunks, structural, 12 ms`.
---@return string
function Session:describe()
  local num = #hunks.chosen(self.hunks)
  local words = { ("%d hunk%s"):format(num, num == 1 and "" or "s"), self.result.strategy }
  local accepted = self.result.usage.accepted_prediction_tokens or 0
  if accepted > 0 then
    table.insert(words, ("%d tokens accepted"):format(accepted))
  end
  table.insert(words, ("%d ms"):format(self.preview_ms))
  return table.concat(words, ", ")
end

--- Puts the hunks that are chosen into the buffer, if it still is what was sent.
function Session:accept()
  if not self.machine:can("accept") then
    return
  end
  if not self:is_current() then
    return self:conflict()
  end
  if not vim.bo[self.buffer].modifiable then
    self.machine:send("discard")
    self.preview:close()
    return self:say("the buffer can't be changed ('modifiable' is off)", LEVELS.ERROR)
  end
  self.machine:send("accept")
  self.preview:close()
  local chosen = hunks.chosen(self.hunks)
  local had_end = self.original:sub(-1) == "\n" or self.original:sub(-1) == "\r"
  local is_last_in = #chosen > 0 and chosen[#chosen] == self.hunks[#self.hunks]
  buffer.change(self.buffer, chosen, (is_last_in or self.original == "") and self.has_end or had_end)
  self:say(self:describe())
end

function Session:discard()
  if self.machine:can("discard") then
    self.machine:send("discard")
    self.message = "discarded"
    self.preview:close()
  end
end

--- Gives the request up.
function Session:cancel()
  if self.machine:can("cancel") then
    self.machine:send("cancel")
    self.cancel_request()
    self:say("cancelled")
  end
end

function Session:conflict()
  self.machine:send("stale")
  if self.preview then
    self.preview:close()
  end
  self:say("the buffer changed after the edit was sent; nothing was applied (CONTENT_CONFLICT)", LEVELS.WARN)
end

---@param refusal fastedit.Refusal
function Session:refuse(refusal)
  if refusal.code == "CONTENT_CONFLICT" then
    return self:conflict()
  end
  self.machine:send("refuse")
  self.refusal = refusal
  local text = ("%s (%s)"):format(refusal.message, refusal.code)
  if refusal.code == "UNREACHABLE" then
    text = text .. "; start it by `fastedit serve`"
  end
  if #refusal.candidates > 0 then
    places.show(self.buffer, refusal)
    text = text .. (": %d places in the quickfix list"):format(#refusal.candidates)
  end
  self:say(text, LEVELS.ERROR)
end

---@param text string
---@param level integer|nil
function Session:say(text, level)
  self.message = text
  notify(text, level)
end

return M
