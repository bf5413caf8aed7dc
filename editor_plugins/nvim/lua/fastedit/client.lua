--- What the plugin asks: POST /v1/apply, streamed, and POST /v1/files. Knows no buffers.

local http = require("fastedit.http")
local sse = require("fastedit.sse")

local M = {}

---@class fastedit.Candidate lines are 0-based and half-open
---@field start_line integer
---@field end_line integer
---@field reason string
---@field choice integer|nil the number of the reading of the edit that means it; 0 or nil where there is none

---@class fastedit.Refusal code: one of the service's, or UNREACHABLE, BAD_ANSWER of our own
---@field code string
---@field message string
---@field candidates fastedit.Candidate[]

---@class fastedit.Result
---@field text string
---@field diff string
---@field strategy string
---@field warnings { code: string, message: string }[]
---@field usage table<string, integer>
---@field stats table<string, number>

---@class fastedit.NamedFile path: as the message has it, nil for whichever file the message is applied to
---@field path string|nil
---@field action "update"|"create"|"delete"
---@field new_path string|nil
---@field can_create boolean

---@class fastedit.Watching
---@field on_span fun(end_line: integer) lines of the original up to this one are done
---@field on_result fun(result: fastedit.Result)
---@field on_refusal fun(refusal: fastedit.Refusal)

---@param code string
---@param message string
---@return fastedit.Refusal
function M.refusal(code, message)
  return { code = code, message = message, candidates = {} }
end

---@param text string
---@return table|nil
local function decoded(text)
  local ok, value = pcall(vim.json.decode, text)
  return ok and type(value) == "table" and value or nil
end

---@param text string
---@param status integer|nil
---@return fastedit.Refusal
local function read_refusal(text, status)
  local answer = decoded(text) or {}
  local problem = type(answer.error) == "table" and answer.error or {}
  if type(problem.code) ~= "string" or type(problem.message) ~= "string" then
    return M.refusal("BAD_ANSWER", ("the service answered with status %s and no reason"):format(status or "?"))
  end
  local candidates = type(problem.candidates) == "table" and problem.candidates or {}
  return { code = problem.code, message = problem.message, candidates = candidates }
end

---@param text string
---@return fastedit.Result|nil, fastedit.Refusal|nil
local function read_result(text)
  local result = decoded(text) or {}
  if type(result.text) ~= "string" or type(result.strategy) ~= "string" then
    return nil, M.refusal("BAD_ANSWER", "the service's answer has no text or strategy")
  end
  result.warnings = type(result.warnings) == "table" and result.warnings or {}
  result.stats = type(result.stats) == "table" and result.stats or {}
  result.usage = type(result.usage) == "table" and result.usage or {}
  return result
end

--- What an event of the stream means: true, and nothing more will come.
---@param event { name: string, data: string }
---@param watching fastedit.Watching
---@return boolean is_last
local function take_event(event, watching)
  if event.name == "result" then
    local result, refusal = read_result(event.data)
    if result then
      watching.on_result(result)
    else
      watching.on_refusal(refusal)
    end
    return true
  elseif event.name == "error" then
    watching.on_refusal(read_refusal(event.data))
    return true
  elseif event.name == "span" then
    watching.on_span((decoded(event.data) or {}).end_line or 0)
  elseif event.name == "reset" then
    watching.on_span(0)
  end
  return false
end

---@param text string
---@return fastedit.NamedFile[]|nil, fastedit.Refusal|nil
local function read_files(text)
  local files = (decoded(text) or {}).files
  if type(files) ~= "table" then
    return nil, M.refusal("BAD_ANSWER", "the service's answer has no files")
  end
  return vim.tbl_map(function(file)
    local function given(name)
      return type(file[name]) == "string" and file[name] or nil
    end
    local new_path = given("new_path")
    return { path = given("path"), action = file.action, new_path = new_path, can_create = file.can_create == true }
  end, files)
end

---@param service { url: string, api_key: string|nil }
---@param path string
---@param fields table<string, any>
---@return fastedit.Request
local function post(service, path, fields)
  local headers = { ["Content-Type"] = "application/json", Accept = "text/event-stream" }
  if service.api_key then
    headers.Authorization = "Bearer " .. service.api_key
  end
  local url = service.url:gsub("/+$", "") .. path
  return { url = url, method = "POST", headers = headers, body = vim.json.encode(fields) }
end

--- Sends a request. on_text gets the body's pieces and says whether the answer is complete with one of them; on_end,
--- where none was, the whole body, or the refusal that it holds. Both as `vim.schedule` does, unless the function that
--- comes back has been called before: it gives the request up.
---@param service { url: string }
---@param request fastedit.Request
---@param on_text fun(text: string): boolean
---@param on_end fun(body: string|nil, refusal: fastedit.Refusal|nil)
---@return fun() cancel
local function ask(service, request, on_text, on_end)
  local pieces = {}
  local is_done = false
  local function when_open(take)
    vim.schedule(function()
      if not is_done then
        is_done = take()
      end
    end)
  end
  local cancel = http.send(request, {
    on_body = function(text)
      table.insert(pieces, text)
      when_open(function()
        return on_text(text)
      end)
    end,
    on_end = function(status, problem)
      when_open(function()
        local body = table.concat(pieces)
        if not status then
          on_end(nil, M.refusal("UNREACHABLE", ("%s: %s"):format(service.url, problem)))
        elseif status ~= 200 then
          on_end(nil, read_refusal(body, status))
        else
          on_end(body)
        end
        return true
      end)
    end,
  })
  return function()
    is_done = true
    cancel()
  end
end

--- Asks for an edit to be merged. Exactly one of on_result and on_refusal is called, as `vim.schedule` does, unless
--- the function that comes back has been called before: it gives the request up.
---@param service { url: string, api_key: string|nil }
---@param request table<string, string> fields of POST /v1/apply; the original's hash is added
---@param watching fastedit.Watching
---@return fun() cancel
function M.apply(service, request, watching)
  local parser = sse.new()
  local fields = vim.tbl_extend("force", request, { sha256 = vim.fn.sha256(request.original), stream = true })
  return ask(service, post(service, "/v1/apply", fields), function(text)
    for _, event in ipairs(parser:feed(text)) do
      if take_event(event, watching) then
        return true
      end
    end
    return false
  end, function(_, refusal)
    watching.on_refusal(refusal or M.refusal("BAD_ANSWER", "the service's answer ended before the result"))
  end)
end

--- Asks which files a message is about; otherwise as `apply`.
---@param service { url: string, api_key: string|nil }
---@param edit string
---@param watching { on_files: fun(files: fastedit.NamedFile[]), on_refusal: fun(refusal: fastedit.Refusal) }
---@return fun() cancel
function M.files(service, edit, watching)
  return ask(service, post(service, "/v1/files", { edit = edit }), function()
    return false
  end, function(body, refusal)
    local files
    if body then
      files, refusal = read_files(body)
    end
    if files then
      watching.on_files(files)
    else
      watching.on_refusal(refusal)
    end
  end)
end

return M
