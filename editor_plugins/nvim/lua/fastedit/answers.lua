--- The service's answers for the file that an edit is for; where its message is about other files too, for all of them.

local client = require("fastedit.client")
local config = require("fastedit.config")
local file = require("fastedit.file")

local M = {}

local OTHER_FILES, EDIT_EMPTY = "OTHER_FILES", "EDIT_EMPTY"

---@class fastedit.Awaiting
---@field on_files fun(files: fastedit.File[]) the edit is for these files instead
---@field on_progress fun() some of an answer has come
---@field on_answers fun() all files have their answers
---@field on_refusal fun(refusal: fastedit.Refusal, one: fastedit.File|nil) one: the file that it is for

---@class fastedit.Answers
---@field files fastedit.File[]
local Answers = {}
Answers.__index = Answers

--- Asks for an edit to be merged into a file. Either on_answers or on_refusal is called, once, unless `cancel` was.
---@param only fastedit.File
---@param options fastedit.SessionOptions
---@param awaiting fastedit.Awaiting
---@return fastedit.Answers
function M.ask(only, options, awaiting)
  local self = setmetatable({ files = { only }, options = options, awaiting = awaiting, cancels = {} }, Answers)
  self:ask()
  return self
end

--- Gives up what is still awaited.
function Answers:cancel()
  for _, cancel in ipairs(self.cancels) do
    cancel()
  end
end

function Answers:ask()
  self.num_awaited = #self.files
  local options = self.options
  for _, one in ipairs(self.files) do
    local request = one:request(options.edit, options.mode or config.values.mode, options.instruction, options.choose)
    local cancel = client.apply(config.service(), request, {
      on_span = function(end_line)
        one.num_done = end_line
        self.awaiting.on_progress()
      end,
      on_result = function(result)
        self:take(one, result)
      end,
      on_refusal = function(refusal)
        self:take_refusal(one, refusal)
      end,
    })
    table.insert(self.cancels, cancel)
  end
end

---@param refusal fastedit.Refusal
---@param one fastedit.File|nil
function Answers:refuse(refusal, one)
  self:cancel()
  self.awaiting.on_refusal(refusal, one)
end

---@param one fastedit.File
---@param result fastedit.Result
function Answers:take(one, result)
  local function finish()
    one:take(result)
    self.num_awaited = self.num_awaited - 1
    if self.num_awaited == 0 then
      self.awaiting.on_answers()
    end
  end
  for _, warning in ipairs(result.warnings) do
    if warning.code == OTHER_FILES and #self.files == 1 then
      return self:turn_to_named(finish)
    end
  end
  finish()
end

---@param one fastedit.File
---@param refusal fastedit.Refusal
function Answers:take_refusal(one, refusal)
  local function refuse()
    self:refuse(refusal, one)
  end
  if refusal.code == EDIT_EMPTY and #self.files == 1 then
    return self:turn_to_named(refuse)
  end
  refuse()
end

--- Asks again for all files that the message names, if it names several and nothing else; does `otherwise` if not.
---@param otherwise fun()
function Answers:turn_to_named(otherwise)
  local cancel = client.files(config.service(), self.options.edit, {
    on_files = function(named)
      local unnamed = vim.tbl_filter(function(one)
        return one.path == nil
      end, named)
      if #unnamed > 0 or #named < 2 then
        return otherwise()
      end
      self:turn_to(named)
    end,
    on_refusal = function(refusal)
      self:refuse(refusal)
    end,
  })
  table.insert(self.cancels, cancel)
end

---@param named fastedit.NamedFile[]
function Answers:turn_to(named)
  local names, found = {}, {}
  -- All of them before any buffer is made.
  for number, one in ipairs(named) do
    local full, refusal = file.locate(one, self.options.buffer)
    if not full then
      return self:refuse(refusal)
    end
    names[number] = full
  end
  for number, full in ipairs(names) do
    local opened, refusal = file.open(full)
    if not opened then
      return self:refuse(refusal)
    end
    found[number] = opened
  end
  self.files = found
  self.awaiting.on_files(found)
  self:ask()
end

return M
