--- The places that a refused edit may have meant, in the quickfix list.

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

return M
