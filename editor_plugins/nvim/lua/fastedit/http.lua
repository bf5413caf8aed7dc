--- One HTTP request, without waiting for it: over `vim.loop` for http, by curl for https.

local M = {}

---@class fastedit.Url
---@field scheme string
---@field host string
---@field port integer
---@field path string

--- The parts of an address, or nil and what is wrong with it.
---@param url string
---@return fastedit.Url|nil, string|nil
function M.parse_url(url)
  local scheme, authority, path = url:match("^(https?)://([^/?#]+)([^?#]*)$")
  if not scheme then
    return nil, ("%q is no address"):format(url)
  end
  local host, port = authority:match("^%[(.-)%]:?(%d*)$")
  if not host then
    host, port = authority:match("^([^:@]+):?(%d*)$")
  end
  if not host then
    return nil, ("%q has no host that can be used"):format(url)
  end
  local default = scheme == "https" and 443 or 80
  return { scheme = scheme, host = host, port = tonumber(port) or default, path = path == "" and "/" or path }
end

--- Reads an answer as it comes.
---@class fastedit.AnswerReader
---@field status integer|nil
local Reader = {}
Reader.__index = Reader

---@param on_body fun(text: string) is given the body, piece by piece
---@return fastedit.AnswerReader
function M.new_reader(on_body)
  return setmetatable({ head = "", on_body = on_body, is_chunked = false, remaining = 0, line = "" }, Reader)
end

--- Takes in bytes of the answer, cut anywhere.
---@param bytes string
function Reader:feed(bytes)
  if self.status then
    return self:feed_body(bytes)
  end
  self.head = self.head .. bytes
  local head, rest = self.head:match("^(.-)\r\n\r\n(.*)$")
  if head then
    self.status = tonumber(head:match("^HTTP/%d[%d.]* (%d+)")) or 0
    self.is_chunked = (head .. "\r\n"):lower():find("\r\ntransfer%-encoding:[^\r]*chunked") ~= nil
    self:feed_body(rest)
  end
end

---@param bytes string
function Reader:feed_body(bytes)
  if not self.is_chunked then
    return self.on_body(bytes)
  end
  while bytes ~= "" do
    if self.remaining > 0 then
      local piece = bytes:sub(1, self.remaining)
      self.remaining = self.remaining - #piece
      bytes = bytes:sub(#piece + 1)
      self.on_body(piece)
    else
      bytes = self:feed_size(bytes)
    end
  end
end

--- Takes in the line with a chunk's size; the line end that closes the chunk before counts as an empty one.
---@param bytes string
---@return string rest
function Reader:feed_size(bytes)
  local stop = bytes:find("\n", 1, true)
  if not stop then
    self.line = self.line .. bytes
    return ""
  end
  local size = (self.line .. bytes:sub(1, stop)):match("^%s*(%x+)")
  self.line = ""
  self.remaining = size and tonumber(size, 16) or 0
  return bytes:sub(stop + 1)
end

---@class fastedit.Request
---@field url string
---@field method string
---@field headers table<string, string>
---@field body string

---@class fastedit.Handlers all are called outside the main loop
---@field on_body fun(text: string) a piece of the body
---@field on_end fun(status: integer|nil, problem: string|nil) the last call: the status, or why there is none

--- Sends a request. Gives the function that gives it up; no handler is called after that.
---@param request fastedit.Request
---@param handlers fastedit.Handlers
---@return fun() cancel
function M.send(request, handlers)
  local url, problem = M.parse_url(request.url)
  local is_open = true
  local guarded = {
    on_body = function(text)
      if is_open then
        handlers.on_body(text)
      end
    end,
    on_end = function(status, why)
      if is_open then
        is_open = false
        handlers.on_end(status, why)
      end
    end,
  }
  local close = function() end
  if not url then
    vim.schedule(function()
      guarded.on_end(nil, problem)
    end)
  elseif url.scheme == "https" then
    close = require("fastedit.curl").send(request, guarded)
  else
    close = M._send_plain(url, request, guarded)
  end
  return function()
    is_open = false
    close()
  end
end

---@param url fastedit.Url
---@param request fastedit.Request
---@return string
local function message(url, request)
  local is_v6 = url.host:find(":", 1, true) ~= nil
  local lines = {
    ("%s %s HTTP/1.1"):format(request.method, url.path),
    ("Host: %s:%d"):format(is_v6 and "[" .. url.host .. "]" or url.host, url.port),
    "Connection: close",
    ("Content-Length: %d"):format(#request.body),
  }
  for name, value in pairs(request.headers) do
    table.insert(lines, ("%s: %s"):format(name, value))
  end
  return table.concat(lines, "\r\n") .. "\r\n\r\n" .. request.body
end

---@param url fastedit.Url
---@param request fastedit.Request
---@param handlers fastedit.Handlers
---@return fun() close
function M._send_plain(url, request, handlers)
  local socket = vim.loop.new_tcp()
  local reader = M.new_reader(handlers.on_body)
  local function close()
    if not socket:is_closing() then
      socket:close()
    end
  end
  local function finish(problem)
    close()
    handlers.on_end(not problem and reader.status or nil, problem or (not reader.status and "no answer" or nil))
  end
  local function connected(problem)
    if problem then
      return finish(problem)
    end
    socket:read_start(function(failure, bytes)
      if failure or not bytes then
        return finish(failure)
      end
      reader:feed(bytes)
    end)
    socket:write(message(url, request), function(failure)
      if failure then
        finish(failure)
      end
    end)
  end
  vim.loop.getaddrinfo(url.host, nil, { socktype = "stream" }, function(problem, addresses)
    if socket:is_closing() then
      return
    end
    if problem or not addresses[1] then
      return finish(problem or "no such host")
    end
    local ok, failure = pcall(socket.connect, socket, addresses[1].addr, url.port, connected)
    if not ok then
      finish(tostring(failure))
    end
  end)
  return close
end

return M
