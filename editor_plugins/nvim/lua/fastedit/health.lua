--- `:checkhealth fastedit`

local M = {}

local WAIT_MS = 3000

-- Its place and its names before 0.8 and 0.10.
local health = vim.health or require("health")
local report = {
  start = health.start or health.report_start,
  ok = health.ok or health.report_ok,
  warn = health.warn or health.report_warn,
  error = health.error or health.report_error,
}

--- The body and status that a path of the service answers with; the problem where it doesn't.
---@param url string
---@return integer|nil status, string body_or_problem
local function get(url)
  local pieces, status, problem, is_done = {}, nil, "no answer", false
  local cancel = require("fastedit.http").send({ url = url, method = "GET", headers = {}, body = "" }, {
    on_body = function(text)
      table.insert(pieces, text)
    end,
    on_end = function(answered, why)
      status, problem, is_done = answered, why, true
    end,
  })
  vim.wait(WAIT_MS, function()
    return is_done
  end, 10)
  cancel()
  return status, status and table.concat(pieces) or problem or "no answer"
end

local function check_editor()
  if vim.fn.has("nvim-0.7") == 1 then
    report.ok("Neovim 0.7 or later")
  else
    report.error("Neovim 0.7 or later is needed")
  end
  if vim.fn.has("clipboard") == 1 then
    report.ok("a clipboard: `:FastEdit` takes what was copied")
  else
    report.warn("no clipboard: `:FastEdit` takes the unnamed register", { ":help clipboard" })
  end
end

---@param url string
local function check_service(url)
  local status, body = get(url .. "/healthz")
  if status ~= 200 then
    report.error(("no service at %s: %s"):format(url, body), { "start one by `fastedit serve`", "or set `url`" })
    return
  end
  local _, alive = pcall(vim.json.decode, body)
  report.ok(("FastEdit %s answers at %s"):format(type(alive) == "table" and alive.version or "?", url))
  local _, answer = get(url .. "/readyz")
  local _, ready = pcall(vim.json.decode, answer)
  local target = type(ready) == "table" and ready.target or {}
  if target.state == "none" then
    report.warn("it serves structural edits alone: it has no target")
  elseif target.state == "ready" then
    report.ok(("its target %s is ready"):format(target.name))
  else
    report.warn(("its target isn't ready: %s %s"):format(target.state or "?", target.reason or ""))
  end
end

function M.check()
  local url = require("fastedit.config").values.url:gsub("/+$", "")
  report.start("fastedit")
  check_editor()
  if url:match("^https:") and vim.fn.executable("curl") ~= 1 then
    report.error("https needs curl, which isn't there")
  end
  check_service(url)
end

return M
