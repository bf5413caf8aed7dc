--- One HTTPS request by curl: libuv has no TLS of its own.

local M = {}

---@param request fastedit.Request
---@return string[]
local function arguments(request)
  -- The key is in the configuration that curl reads from its standard input, where no list of processes shows it.
  return {
    "--silent",
    "--show-error",
    "--no-buffer",
    "--suppress-connect-headers",
    "--include",
    "--http1.1",
    "--raw",
    "--request",
    request.method,
    "--config",
    "-",
    request.url,
  }
end

---@param text string
---@return string
local function quoted(text)
  local escapes = { ["\\"] = "\\\\", ['"'] = '\\"', ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
  return '"' .. text:gsub('[\\"\n\r\t]', escapes) .. '"'
end

---@param request fastedit.Request
---@return string
local function configuration(request)
  local lines = {}
  for name, value in pairs(request.headers) do
    table.insert(lines, "header = " .. quoted(name .. ": " .. value))
  end
  table.insert(lines, 'header = "Expect:"')
  table.insert(lines, "data-raw = " .. quoted(request.body))
  return table.concat(lines, "\n") .. "\n"
end

--- Sends a request; as `fastedit.http`'s own way over plain sockets.
---@param request fastedit.Request
---@param handlers fastedit.Handlers
---@return fun() close
function M.send(request, handlers)
  local reader = require("fastedit.http").new_reader(handlers.on_body)
  local pipes = { vim.loop.new_pipe(false), vim.loop.new_pipe(false), vim.loop.new_pipe(false) }
  local said, num_waiting, status = {}, 3, nil
  local process
  local function finish()
    num_waiting = num_waiting - 1
    if num_waiting > 0 then
      return
    end
    local is_fine = status == 0 and reader.status ~= nil
    local problem = table.concat(said):gsub("%s+$", "")
    handlers.on_end(is_fine and reader.status or nil, not is_fine and (problem ~= "" and problem or "no answer") or nil)
  end
  process = vim.loop.spawn("curl", { args = arguments(request), stdio = pipes }, function(code)
    status = code
    process:close()
    finish()
  end)
  if not process then
    vim.schedule(function()
      handlers.on_end(nil, "https needs curl, which isn't there")
    end)
    return function() end
  end
  for number, take in pairs({ [2] = function(b) reader:feed(b) end, [3] = function(b) table.insert(said, b) end }) do
    pipes[number]:read_start(function(_, bytes)
      if bytes then
        return take(bytes)
      end
      pipes[number]:close()
      finish()
    end)
  end
  pipes[1]:write(configuration(request), function()
    pipes[1]:close()
  end)
  return function()
    if not process:is_closing() then
      process:kill("sigterm")
    end
  end
end

return M
