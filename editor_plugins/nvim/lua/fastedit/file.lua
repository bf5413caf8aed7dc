--- One of the files that an edit is for: what is sent of it, what came back, and how that gets into its buffer.

local buffer = require("fastedit.buffer")
local client = require("fastedit.client")
local hunks = require("fastedit.hunks")

local M = {}

---@class fastedit.File result, hunks: once the answer is there
---@field buffer integer
---@field path string|nil
---@field original string
---@field old string[] the original's lines
---@field num_done integer lines that the answer has got to
---@field result fastedit.Result|nil
---@field hunks fastedit.Hunk[]|nil
local File = {}
File.__index = File

--- The file of a buffer as it is now, or nil and why it can't be sent.
---@param number integer
---@return fastedit.File|nil, fastedit.Refusal|nil
function M.of(number)
  local original, problem = buffer.text(number)
  if not original then
    return nil, client.refusal("NOT_TEXT", problem)
  end
  local fileformat = vim.bo[number].fileformat
  return setmetatable({
    buffer = number,
    path = buffer.path(number),
    original = original,
    fileformat = fileformat,
    old = buffer.lines(original, fileformat),
    num_done = 0,
  }, File)
end

--- The full name of a file below a folder, or nil where the name leads out of it.
---@param root string
---@param name string
---@return string|nil
local function within(root, name)
  root = (vim.fn.simplify(root .. "/"):gsub("\\", "/"))
  name = name:gsub("\\", "/")
  local is_absolute = name:match("^/") or name:match("^%a:")
  local full = vim.fn.simplify(is_absolute and name or root .. name)
  -- Where a link makes `..` mean something else it is left there.
  local is_inside = full:sub(1, #root) == root and #full > #root and not full:find("/%.%./")
  return is_inside and full or nil
end

---@param full string
---@return boolean
local function exists(full)
  return vim.fn.filereadable(full) == 1 or vim.fn.bufloaded(full) == 1
end

--- Why a file can't be taken from a message as it is named there, or nil.
---@param named fastedit.NamedFile
---@param full string|nil
---@param is_there boolean
---@return string|nil code, string|nil why
local function problem_with(named, full, is_there)
  if named.action == "delete" or named.new_path then
    local verb = named.new_path and "moved" or "deleted"
    return "INVALID_PATH", ("is to be %s: `fastedit apply` does that"):format(verb)
  elseif not full then
    return "INVALID_PATH", "lies outside the working directory"
  elseif named.action == "create" and is_there then
    return "FILE_EXISTS", "is to be created, but is there already"
  elseif not is_there and not named.can_create then
    return "INVALID_PATH", "isn't in the working directory"
  end
end

--- The full name of a file that a message names: below the working directory, or else in the folder of another buffer.
---@param named fastedit.NamedFile
---@param beside integer
---@return string|nil, fastedit.Refusal|nil
function M.locate(named, beside)
  local own = vim.api.nvim_buf_get_name(beside)
  local inside = within(vim.fn.getcwd(), named.path)
  local near = own ~= "" and within(vim.fn.fnamemodify(own, ":p:h"), named.path) or nil
  local is_near = near and exists(near) and not (inside and exists(inside))
  local full = is_near and near or inside
  local code, why = problem_with(named, full, full ~= nil and exists(full))
  if code then
    return nil, client.refusal(code, named.path .. " " .. why)
  end
  return full
end

--- The file of this full name, in a buffer; otherwise as `of`.
---@param full string
---@return fastedit.File|nil, fastedit.Refusal|nil
function M.open(full)
  local number = vim.fn.bufadd(full)
  vim.fn.bufload(number)
  vim.bo[number].buflisted = true
  return M.of(number)
end

--- What POST /v1/apply is to be asked.
---@param edit string
---@param mode string
---@param instruction string|nil
---@param choose integer|nil
---@return table<string, any>
function File:request(edit, mode, instruction, choose)
  local filetype = vim.bo[self.buffer].filetype
  return {
    original = self.original,
    edit = edit,
    mode = mode,
    instruction = instruction,
    choose = choose,
    path = self.path,
    language = not self.path and filetype ~= "" and filetype or nil,
  }
end

---@param result fastedit.Result
function File:take(result)
  local new, has_end = buffer.lines(result.text, self.fileformat)
  self.result = result
  self.has_end = has_end
  self.hunks = hunks.between(self.old, new)
end

--- Whether the buffer still is what was sent.
---@return boolean
function File:is_current()
  return vim.api.nvim_buf_is_loaded(self.buffer) and buffer.text(self.buffer) == self.original
end

---@return boolean
function File:is_changed()
  return self.result.text ~= self.original
end

--- The name by which a person knows it, without its folder.
---@return string
function File:name()
  return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(self.buffer), ":t")
end

--- Puts the hunks that are chosen into the buffer.
function File:apply()
  local chosen = hunks.chosen(self.hunks)
  local had_end = self.original:sub(-1) == "\n" or self.original:sub(-1) == "\r"
  local is_last_in = #chosen > 0 and chosen[#chosen] == self.hunks[#self.hunks]
  buffer.change(self.buffer, chosen, (is_last_in or self.original == "") and self.has_end or had_end)
end

return M
