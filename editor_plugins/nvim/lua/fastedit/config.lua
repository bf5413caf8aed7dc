--- Settings; `require("fastedit").setup` changes them, and nothing needs to call it.

local M = {}

---@class fastedit.Config
M.defaults = {
  --- Where `fastedit serve` listens.
  url = "http://127.0.0.1:8377",
  --- The service's key, or a function that gives it: a string, or nil for none.
  api_key = nil,
  --- auto, structural (no model) or model.
  mode = "auto",
  --- Whether a refusal's places are shown in the quickfix window at once.
  open_places = true,
  --- Keys of the preview.
  keys = { accept = "<CR>", discard = { "q", "<Esc>" }, toggle = "<Space>", next = "]c", previous = "[c" },
}

---@type fastedit.Config
M.values = vim.deepcopy(M.defaults)

local MODES = { auto = true, structural = true, model = true }

--- Takes settings in; those that aren't given stay as they are by default. Raises an error for one that doesn't exist.
---@param given table|nil
function M.set(given)
  given = given or {}
  for name in pairs(given) do
    if M.defaults[name] == nil and name ~= "api_key" then
      error(("fastedit: there is no setting %s"):format(name))
    end
  end
  if given.mode and not MODES[given.mode] then
    error("fastedit: mode is one of auto, structural, model")
  end
  M.values = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), given)
end

--- The service with its key.
---@return { url: string, api_key: string|nil }
function M.service()
  local key = M.values.api_key
  if type(key) == "function" then
    key = key()
  end
  return { url = M.values.url, api_key = key }
end

return M
