--- What can be told without a service: states, streams, hunks, buffers.

local harness = require("harness")
local test, equal = harness.test, harness.equal

local function read_json(path)
  return vim.json.decode(table.concat(vim.fn.readfile(path), "\n"))
end

test("the table of states is the described one", function()
  local described = read_json(vim.env.E2E_STATES)
  local states = require("fastedit.states")
  equal(states.transitions, described.transitions)
  equal(states.initial, described.initial)
end)

test("an event that the state doesn't know raises an error and changes nothing", function()
  local machine = require("fastedit.states").new()
  equal(pcall(machine.send, machine, "accept"), false)
  equal(machine.state, "idle")
end)

test("server-sent events come out whole, wherever the stream is cut", function()
  local stream = 'event: span\ndata: {"a":1}\n\n: here\n\nevent: result\r\ndata: one\r\ndata: two\r\n\r\n'
  for size = 1, #stream do
    local parser, events = require("fastedit.sse").new(), {}
    for start = 1, #stream, size do
      vim.list_extend(events, parser:feed(stream:sub(start, start + size - 1)))
    end
    equal(events, { { name = "span", data = '{"a":1}' }, { name = "result", data = "one\ntwo" } })
  end
end)

test("answers are read wherever they are cut, chunked or not", function()
  local http = require("fastedit.http")
  local answers = {
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab\r\nc\r\nB;x=y\r\n0123456789a\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nab\r\nc0123456789a",
  }
  for _, answer in ipairs(answers) do
    for size = 1, #answer do
      local pieces = {}
      local reader = http.new_reader(function(text)
        table.insert(pieces, text)
      end)
      for start = 1, #answer, size do
        reader:feed(answer:sub(start, start + size - 1))
      end
      equal(table.concat(pieces), "ab\r\nc0123456789a")
      equal(reader.status, 200)
    end
  end
end)

test("addresses", function()
  local parse = require("fastedit.http").parse_url
  equal(parse("http://127.0.0.1:8377/v1"), { scheme = "http", host = "127.0.0.1", port = 8377, path = "/v1" })
  equal(parse("https://[::1]/"), { scheme = "https", host = "::1", port = 443, path = "/" })
  equal(parse("http://localhost"), { scheme = "http", host = "localhost", port = 80, path = "/" })
  equal({ (parse("ftp://x")) }, {})
  equal({ (parse("http://user:key@host/")) }, {})
end)

test("hunks between lines, and what is chosen of them", function()
  local hunks = require("fastedit.hunks")
  local old = { "a", "b", "c", "d", "e" }
  local found = hunks.between(old, { "new", "a", "B", "c", "e" })
  equal(
    vim.tbl_map(function(hunk)
      return { hunk.start_line, hunk.end_line, hunk.lines }
    end, found),
    { { 0, 0, { "new" } }, { 1, 2, { "B" } }, { 3, 4, {} } }
  )
  equal(hunks.render(found[2], old), { "@@ line 2: +1 -1 @@", " a", "-b", "+B", " c", " d", " e" })
  found[2].is_chosen = false
  equal(#hunks.chosen(found), 2)
  equal(hunks.render(found[2], old)[1], "@@ line 2: +1 -1 @@  (left out)")
  equal(hunks.between({}, { "a" })[1].lines, { "a" })
end)

--- A buffer as it is after reading a file with these bytes.
local function buffer_of(bytes)
  local path = vim.fn.tempname()
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
  vim.cmd("edit " .. path)
  return vim.api.nvim_get_current_buf()
end

test("a buffer's text is what its file has", function()
  local buffer = require("fastedit.buffer")
  local files = { "a\nb\n", "a\r\nb\r\n", "a\r\nb", "a\nb", "", "\n", "\r\n", "a\r\nb\n", "\n\n", "ü\u{2028}\n" }
  for _, bytes in ipairs(files) do
    equal(buffer.text(buffer_of(bytes)), bytes)
  end
end)

test("a buffer with a NUL has no text to send", function()
  local text, problem = require("fastedit.buffer").text(buffer_of("a\0b\n"))
  equal(text, nil)
  harness.has(problem, "line 1")
end)

test("settings that don't exist are told", function()
  local fastedit = require("fastedit")
  equal(pcall(fastedit.setup, { adress = "x" }), false)
  equal(pcall(fastedit.setup, { mode = "fast" }), false)
  fastedit.setup({ mode = "structural", api_key = "k" })
  equal(require("fastedit.config").service().api_key, "k")
  fastedit.setup()
  equal(require("fastedit.config").values.mode, "auto")
end)

harness.finish("nvim_unit")
