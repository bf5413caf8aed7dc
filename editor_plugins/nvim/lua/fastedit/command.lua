--- What stands behind `:FastEdit`.

local M = {}

local ACTIONS = { "accept", "discard", "cancel" }

---@param text string
local function complain(text)
  vim.notify("FastEdit: " .. text, vim.log.levels.ERROR, { title = "FastEdit" })
end

---@param name string
---@return string
local function register_text(name)
  return table.concat(vim.fn.getreg(name, 1, true), "\n")
end

--- The register that is meant when none is named: the clipboard's, where there is one with text in it.
---@return string
local function default_register()
  if vim.fn.has("clipboard") == 1 and register_text("+") ~= "" then
    return "+"
  end
  return '"'
end

--- The buffer that an edit in the current one is for: the one that is named, or the alternate one.
---@param name string
---@return integer|nil
local function target_buffer(name)
  local found = name == "" and vim.fn.bufnr("#") or vim.fn.bufnr(vim.fn.fnameescape(name))
  local is_fine = found > 0 and found ~= vim.api.nvim_get_current_buf() and vim.bo[found].buftype == ""
  return is_fine and found or nil
end

---@param command table
local function apply_range(command)
  local target = target_buffer(command.args)
  if not target then
    return complain("no buffer to apply the lines to: name it, or make it the alternate file")
  end
  local lines = vim.api.nvim_buf_get_lines(0, command.line1 - 1, command.line2, true)
  vim.fn.bufload(target)
  require("fastedit").apply(table.concat(lines, "\n") .. "\n", { buffer = target })
end

---@param path string
local function apply_file(path)
  local file, problem = io.open(vim.fn.expand(path), "rb")
  if not file then
    return complain(problem)
  end
  local edit = file:read("*a")
  file:close()
  require("fastedit").apply(edit)
end

---@param name string
local function apply_register(name)
  local edit = register_text(name)
  if not edit:find("%S") then
    return complain(("register %s has no text (EDIT_EMPTY)"):format(name))
  end
  require("fastedit").apply(edit)
end

--- `:FastEdit`, with the table that `nvim_create_user_command` gives.
---@param command table
function M.run(command)
  local word, rest = command.args:match("^(%S*)%s*(.-)$")
  if command.range > 0 then
    apply_range(command)
  elseif vim.tbl_contains(ACTIONS, word) then
    require("fastedit").act(word)
  elseif word == "file" and rest ~= "" then
    apply_file(rest)
  elseif #word <= 1 then
    apply_register(word ~= "" and word or default_register())
  else
    complain(("can't %s: a register, `file {path}`, %s"):format(command.args, table.concat(ACTIONS, ", ")))
  end
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  if line:match("^%S*FastEdit%s+file%s") then
    return vim.fn.getcompletion(lead, "file")
  end
  if line:match("^['%%%d.,<>]+FastEdit") then
    return vim.fn.getcompletion(lead, "buffer")
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, vim.list_extend({ "file" }, ACTIONS))
end

return M
