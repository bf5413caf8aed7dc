--- One edit on its way into a buffer, or into those of all the files that its message is about.

local answers = require("fastedit.answers")
local file = require("fastedit.file")
local hunks = require("fastedit.hunks")
local places = require("fastedit.places")
local preview = require("fastedit.preview")
local states = require("fastedit.states")

local M = {}

local SHOW_PROGRESS_AFTER_MS = 300
local LEVELS = vim.log.levels
local OTHER_FILES = "OTHER_FILES"
-- Warnings that say no more than the preview does; in one of several files, that there are others.
local QUIET = { NOTE = true, NO_CHANGE = true }

---@class fastedit.Session
---@field files fastedit.File[] those that the edit is for
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

--- `2 hunks`, `1 hunk`
---@param count integer
---@param noun string
---@return string
local function counted(count, noun)
  return ("%d %s%s"):format(count, noun, count == 1 and "" or "s")
end

---@class fastedit.SessionOptions on_turn: the edit is for these files instead; on_choice: this reading of it is meant
---@field buffer integer
---@field edit string
---@field mode string|nil
---@field instruction string|nil
---@field choose integer|nil the number of the reading to take
---@field on_turn fun(session: fastedit.Session, files: fastedit.File[])
---@field on_choice fun(number: integer|nil)

--- Asks for an edit to be merged into a buffer; the preview, or a message, follows.
---@param options fastedit.SessionOptions
---@return fastedit.Session
function M.start(options)
  local self = setmetatable({
    options = options,
    files = {},
    machine = states.new(),
    started = vim.loop.hrtime(),
    message = "",
  }, Session)
  self.machine:send("start")
  local only, refusal = file.of(options.buffer)
  if only then
    self.files = { only }
    self:ask(only)
  else
    self:refuse(refusal)
  end
  return self
end

---@return number
function Session:elapsed_ms()
  return (vim.loop.hrtime() - self.started) / 1e6
end

---@param only fastedit.File
function Session:ask(only)
  self.answers = answers.ask(only, self.options, {
    on_files = function(files)
      self.files = files
      self.options.on_turn(self, files)
    end,
    on_progress = function()
      self.machine:send("progress")
      self:show_progress()
    end,
    on_answers = function()
      self:show()
    end,
    on_refusal = function(refusal, one)
      self:refuse(refusal, one)
    end,
  })
end

--- How far the answer is, or what became of it, in a line.
---@return string
function Session:status()
  if self.machine.state ~= "streaming" then
    return self.message
  end
  local num_done, num_lines = 0, 0
  for _, one in ipairs(self.files) do
    num_done, num_lines = num_done + one.num_done, num_lines + #one.old
  end
  return ("%d of %d lines, %d ms"):format(num_done, num_lines, self:elapsed_ms())
end

function Session:show_progress()
  local elapsed = self:elapsed_ms()
  if elapsed > SHOW_PROGRESS_AFTER_MS and elapsed - (self.shown_ms or 0) > 100 then
    self.shown_ms = elapsed
    vim.api.nvim_echo({ { "FastEdit: " .. self:status() } }, false, {})
  end
end

--- Whether all buffers still are what was sent.
---@return boolean
function Session:is_current()
  for _, one in ipairs(self.files) do
    if not one:is_current() then
      return false
    end
  end
  return true
end

--- The files that the edit changes.
---@return fastedit.File[]
function Session:changed()
  return vim.tbl_filter(function(one)
    return one:is_changed()
  end, self.files)
end

function Session:show()
  if not self:is_current() then
    return self:conflict()
  end
  if #self:changed() == 0 then
    self.machine:send("unchanged")
    return self:say("the edit is in the file already (NO_CHANGE)")
  end
  self.machine:send("result")
  self:open_preview()
end

--- What the person should look at, in lines.
---@return string[]
function Session:warnings()
  local lines = {}
  for _, one in ipairs(self.files) do
    for _, warning in ipairs(one.result.warnings) do
      if not QUIET[warning.code] and not (warning.code == OTHER_FILES and #self.files > 1) then
        table.insert(lines, ("warning: %s (%s)"):format(warning.message, warning.code))
      end
    end
  end
  return lines
end

function Session:open_preview()
  self.preview_ms = self:elapsed_ms()
  self.message = self:describe()
  local changed = self:changed()
  local name = #changed == 1 and changed[1]:name() or counted(#changed, "file")
  self.preview = preview.open({
    title = name .. ": " .. self.message,
    files = changed,
    warnings = self:warnings(),
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
  local num_hunks, num_accepted, strategies = 0, 0, {}
  for _, one in ipairs(self:changed()) do
    num_hunks = num_hunks + #hunks.chosen(one.hunks)
    num_accepted = num_accepted + (one.result.usage.accepted_prediction_tokens or 0)
    if not vim.tbl_contains(strategies, one.result.strategy) then
      table.insert(strategies, one.result.strategy)
    end
  end
  local words = { counted(num_hunks, "hunk"), table.concat(strategies, " and ") }
  if num_accepted > 0 then
    table.insert(words, ("%d tokens accepted"):format(num_accepted))
  end
  table.insert(words, ("%d ms"):format(self.preview_ms))
  return table.concat(words, ", ")
end

--- Puts the hunks that are chosen into the buffers, if these still are what was sent.
function Session:accept()
  if not self.machine:can("accept") then
    return
  end
  if not self:is_current() then
    return self:conflict()
  end
  local changed = self:changed()
  for _, one in ipairs(changed) do
    if not vim.bo[one.buffer].modifiable then
      self.machine:send("discard")
      self.preview:close()
      return self:say("the buffer can't be changed ('modifiable' is off)", LEVELS.ERROR)
    end
  end
  self.machine:send("accept")
  self.preview:close()
  for _, one in ipairs(changed) do
    one:apply()
  end
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
    self.answers:cancel()
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

--- Ends the edit. one: the file that it was refused for, if it was for one.
---@param refusal fastedit.Refusal
---@param one fastedit.File|nil
function Session:refuse(refusal, one)
  if refusal.code == "CONTENT_CONFLICT" then
    return self:conflict()
  end
  self.machine:send("refuse")
  self.refusal = refusal
  local text = ("%s (%s)"):format(refusal.message, refusal.code)
  if one and #self.files > 1 then
    text = one:name() .. ": " .. text
  end
  if refusal.code == "UNREACHABLE" then
    text = text .. "; start it by `fastedit serve`"
  end
  if one and #refusal.candidates > 0 then
    places.show(one.buffer, refusal)
    text = text .. (": %d places in the quickfix list"):format(#refusal.candidates)
  end
  self:say(text, LEVELS.ERROR)
  if one and #self.files == 1 then
    places.choose(refusal, function(number)
      -- The numbers are those of the text that was sent.
      self.options.on_choice(self:is_current() and number or nil)
    end)
  end
end

---@param text string
---@param level integer|nil
function Session:say(text, level)
  self.message = text
  notify(text, level)
end

return M
