--- A `fastedit serve` of the tests' own, and addresses where nothing or nobody answers.

local M = {}

local START_MS = 60000

--- A port on which nothing listens now.
---@return integer
function M.free_port()
  local socket = vim.loop.new_tcp()
  socket:bind("127.0.0.1", 0)
  local port = socket:getsockname().port
  socket:close()
  return port
end

--- Waits until a first edit has been merged: the processes that do it may start later than the service.
---@param url string
local function warm_up(url)
  local is_done = false
  local function done()
    is_done = true
  end
  local request = { original = "a = 1\n", edit = "a = 2\n", path = "a.py", mode = "structural" }
  require("fastedit.client").apply({ url = url }, request, { on_span = done, on_result = done, on_refusal = done })
  vim.wait(START_MS, function()
    return is_done
  end, 10)
end

--- Starts the service without a target; gives its address, and the function that ends it.
---@return string, fun()
function M.start()
  local port = M.free_port()
  local options = { "--target", "none", "--log-level", "error", "--port", tostring(port) }
  local command = vim.list_extend({ vim.env.E2E_FASTEDIT, "serve" }, options)
  local status
  local job = vim.fn.jobstart(command, {
    on_exit = function(_, code)
      status = code
    end,
  })
  local url = ("http://127.0.0.1:%d"):format(port)
  local is_up = false
  local function ask()
    require("fastedit.http").send({ url = url .. "/healthz", method = "GET", headers = {}, body = "" }, {
      on_body = function() end,
      on_end = function(answered)
        is_up = is_up or answered == 200
      end,
    })
  end
  vim.wait(START_MS, function()
    ask()
    return is_up or status ~= nil
  end, 100)
  if not is_up then
    io.stdout:write(("%s doesn't serve (status %s)\n"):format(command[1], tostring(status)))
    vim.cmd("cquit!")
  end
  warm_up(url)
  return url, function()
    vim.fn.jobstop(job)
  end
end

--- A service that takes connections and never answers; `count` of its result is how many clients have gone again.
---@return { url: string, count: integer, stop: fun() }
function M.start_silence()
  local server = vim.loop.new_tcp()
  local silence = { count = 0 }
  server:bind("127.0.0.1", 0)
  server:listen(8, function()
    local client = vim.loop.new_tcp()
    server:accept(client)
    client:read_start(function(_, bytes)
      if not bytes then
        silence.count = silence.count + 1
        client:close()
      end
    end)
  end)
  silence.url = ("http://127.0.0.1:%d"):format(server:getsockname().port)
  silence.stop = function()
    server:close()
  end
  return silence
end

return M
