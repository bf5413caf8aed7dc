--- The places that a refused edit may have meant, in the quickfix list, and its readings to choose from.

local config = require("fastedit.config")

local M = {}

---@param buffer integer
---@param refusal fastedit.Refusal
function M.show(buffer, refusal)
  local items = {}
  for _, candidate in ipairs(refusal.candidates) do
    table.insert(items, {
      bufnr = buffer,
      lnum = (candidate.start_line or 0) + 1,
      end_lnum = math.max(candidate.end_line or 0, 1),
      text = candidate.reason,
      type = "E",
    })
  end
  vim.fn.setqflist({}, " ", { title = "FastEdit: " .. refusal.code, items = items })
  if config.values.open_places then
    vim.cmd("botright copen " .. math.min(10, #items + 1))
    vim.cmd("wincmd p")
  end
end

--- Lets the person choose one of the edit's readings, where it has several.
---@param refusal fastedit.Refusal
---@param on_choice fun(number: integer)
function M.choose(refusal, on_choice)
  local readings = vim.tbl_filter(function(candidate)
    return (candidate.choice or 0) > 0
  end, refusal.candidates)
  if #readings == 0 then
    return
  end
  vim.ui.select(readings, {
    prompt = "FastEdit: which of these is meant?",
    format_item = function(candidate)
      return ("line %d: %s"):format((candidate.start_line or 0) + 1, candidate.reason or "")
    end,
  }, function(candidate)
    if candidate then
      on_choice(candidate.choice)
    end
  end)
end

return M
