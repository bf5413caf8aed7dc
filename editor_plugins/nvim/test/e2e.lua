--- A person's way through the plugin, against a real service.

local harness = require("harness")
local service = require("service")
local fastedit = require("fastedit")
local test, equal, has = harness.test, harness.equal, harness.has

local SHAPES = [[
"""Shapes."""


def area(width, height):
    return width * height


def name():
    return "shape"


def scale(factor):
    return factor * 2
]]
local LAZY_EDIT = [[
def area(width, height, depth=1):
    return width * height * depth

# ... existing code ...

def scale(factor):
    return factor * 3
]]
local AFTER = SHAPES:gsub("%(width, height%)", "(width, height, depth=1)")
  :gsub("width %* height\n", "width * height * depth\n")
  :gsub("factor %* 2", "factor * 3")
local TWINS = [[
class First:
    def run(self):
        return 1


class Second:
    def run(self):
        return 1
]]
local AMBIGUOUS_EDIT = [[
<<<<<<< SEARCH
    def run(self):
        return 1
=======
    def run(self):
        return 2
>>>>>>> REPLACE
]]

local TRIPLETS = TWINS .. "\n\n" .. TWINS:match("class Second.*$"):gsub("Second", "Third")
local OPEN_EDIT = [[
# ... existing code ...
        return 3
# ... existing code ...
]]

local URL, stop = service.start()
vim.o.swapfile = false
vim.o.report = 9999
vim.o.hidden = true
vim.o.columns, vim.o.lines = 120, 40

--- Everything that the person was told.
local told = {}
vim.notify = function(text)
  table.insert(told, text)
end

--- Nobody is there to choose.
vim.ui.select = function(_, _, on_choice)
  on_choice(nil)
end

local folder = vim.fn.tempname()
vim.fn.mkdir(folder, "p")
vim.cmd("cd " .. folder)

local function write(name, bytes)
  local file = assert(io.open(folder .. "/" .. name, "wb"))
  file:write(bytes)
  file:close()
end

local function disk(name)
  local file = assert(io.open(folder .. "/" .. name, "rb"))
  local bytes = file:read("*a")
  file:close()
  return bytes
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "xt", false)
end

local function state()
  return fastedit.session().machine.state
end

local function await_state(expected)
  harness.await("state " .. expected .. ", is " .. state(), function()
    return state() == expected
  end)
end

--- Opens a new file with these bytes, and puts an edit into the unnamed register.
local function open(name, bytes, edit)
  vim.cmd("silent only!")
  told = {}
  fastedit.setup({ url = URL })
  write(name, bytes)
  vim.cmd("silent edit! " .. name)
  vim.fn.setreg('"', edit)
end

local function saved(name)
  vim.cmd("silent write!")
  return disk(name)
end

test("register: preview, accept, exact content, one undo", function()
  open("plain.py", SHAPES, LAZY_EDIT)
  vim.cmd("FastEdit")
  await_state("preview")
  local shown = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
  has(shown, "plain.py: 2 hunks, structural, %d+ ms")
  has(shown, "\n%-    return factor %* 2\n%+    return factor %* 3")
  equal(vim.api.nvim_win_get_config(0).relative, "editor")
  press("<CR>")
  equal(state(), "applied")
  equal(vim.fn.expand("%:t"), "plain.py")
  equal(saved("plain.py"), AFTER)
  press("u")
  equal(saved("plain.py"), SHAPES)
end)

test("an unsaved buffer is the original, and undo brings it back", function()
  open("unsaved.py", SHAPES, LAZY_EDIT)
  press("Go<C-u><CR># not saved<Esc>")
  equal(vim.fn.getline("$"), "# not saved")
  vim.fn.setreg('"', LAZY_EDIT)
  vim.cmd('FastEdit "')
  await_state("preview")
  press("<CR>")
  equal(saved("unsaved.py"), AFTER .. "\n# not saved\n")
  press("u")
  equal(saved("unsaved.py"), SHAPES .. "\n# not saved\n")
end)

test("carriage returns and a missing last line end stay", function()
  local function dos(text)
    return (text:gsub("\n$", ""):gsub("\n", "\r\n"))
  end
  open("dos.py", dos(SHAPES), LAZY_EDIT)
  vim.bo.fixendofline = false
  vim.cmd("FastEdit")
  await_state("preview")
  press("<CR>")
  equal(saved("dos.py"), dos(AFTER))
  press("u")
  equal(saved("dos.py"), dos(SHAPES))
end)

test("marks on other lines stay where they are", function()
  open("marks.py", SHAPES, LAZY_EDIT .. "\n\ndef more():\n    pass\n")
  vim.api.nvim_buf_set_mark(0, "m", 9, 4, {})
  vim.cmd("FastEdit")
  await_state("preview")
  press("<CR>")
  equal(vim.api.nvim_buf_get_lines(0, vim.api.nvim_buf_get_mark(0, "m")[1] - 1, -1, true)[1], '    return "shape"')
end)

test("a hunk can be left out", function()
  open("hunks.py", SHAPES, LAZY_EDIT)
  vim.cmd("FastEdit")
  await_state("preview")
  press("]c<Space>")
  has(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n"), "line 13: %+1 %-1 @@  %(left out%)")
  press("<CR>")
  equal(saved("hunks.py"), (AFTER:gsub("factor %* 3", "factor * 2")))
  has(told[#told], "1 hunk, structural")
end)

test("discarding, by key or by closing the window, leaves nothing behind", function()
  for _, keys in ipairs({ "q", "<Esc>", ":quit<CR>" }) do
    open("discard.py", SHAPES, LAZY_EDIT)
    vim.cmd("FastEdit")
    await_state("preview")
    press(keys)
    await_state("idle")
    equal(vim.fn.winnr("$"), 1)
    equal(vim.bo.modified, false)
    equal(saved("discard.py"), SHAPES)
  end
end)

test("an edit that can be read in several ways is previewed as the person reads it", function()
  local select = vim.ui.select
  local offered = {}
  vim.ui.select = function(items, options, on_choice)
    offered = vim.tbl_map(options.format_item, items)
    on_choice(items[2])
  end
  open("readings.py", TRIPLETS, OPEN_EDIT)
  vim.cmd("FastEdit")
  await_state("preview")
  vim.ui.select = select
  has(offered[2], "line %d+: reading 2 ")
  press("<CR>")
  equal(state(), "applied")
  equal(saved("readings.py") ~= TRIPLETS, true)
  vim.cmd("silent! cclose")
end)

test("a refusal has its code, and its places in the quickfix list", function()
  open("twins.py", TWINS, AMBIGUOUS_EDIT)
  vim.cmd("FastEdit")
  await_state("refused")
  has(told[1], "%(ANCHOR_AMBIGUOUS%): 2 places")
  local list = vim.fn.getqflist({ items = 1, winid = 1 })
  equal(#list.items, 2)
  equal(list.winid ~= 0, true)
  vim.cmd("2cc")
  equal({ vim.fn.expand("%:t"), vim.fn.line(".") }, { "twins.py", list.items[2].lnum })
  equal(list.items[2].lnum, 7)
  vim.cmd("cclose")
  equal(saved("twins.py"), TWINS)
end)

test("a buffer that changed meanwhile is left alone", function()
  open("conflict.py", SHAPES, LAZY_EDIT)
  local buffer = vim.api.nvim_get_current_buf()
  vim.cmd("FastEdit")
  await_state("preview")
  vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { "# typed meanwhile" })
  press("<CR>")
  equal(state(), "conflict")
  has(told[1], "CONTENT_CONFLICT")
  equal(vim.fn.winnr("$"), 1)
  equal(saved("conflict.py"), "# typed meanwhile\n" .. SHAPES)
end)

test("a buffer that changed while the service worked gets no preview", function()
  open("early.py", SHAPES, LAZY_EDIT)
  vim.cmd("FastEdit")
  vim.api.nvim_buf_set_lines(0, 0, 0, true, { "# typed at once" })
  await_state("conflict")
  equal(saved("early.py"), "# typed at once\n" .. SHAPES)
end)

test("no service", function()
  open("down.py", SHAPES, LAZY_EDIT)
  fastedit.setup({ url = ("http://127.0.0.1:%d"):format(service.free_port()) })
  vim.cmd("FastEdit")
  await_state("refused")
  has(told[1], "ECONNREFUSED %(UNREACHABLE%); start it by `fastedit serve`")
  equal(saved("down.py"), SHAPES)
end)

test("a service that doesn't answer is given up", function()
  open("cancel.py", SHAPES, LAZY_EDIT)
  local silence = service.start_silence()
  fastedit.setup({ url = silence.url })
  vim.cmd("FastEdit")
  vim.wait(100)
  has(fastedit.status(), "streaming: 0 of 13 lines, %d+ ms")
  vim.cmd("FastEdit cancel")
  equal(state(), "idle")
  harness.await("the connection's end", function()
    return silence.count > 0
  end)
  silence.stop()
  equal(fastedit.status(), "")
  equal(saved("cancel.py"), SHAPES)
end)

test("lines of another buffer, for the alternate file", function()
  open("target.py", SHAPES, "")
  write("answer.md", "Change it so:\n\n" .. LAZY_EDIT .. "\nThat's all.\n")
  vim.cmd("silent edit answer.md")
  vim.cmd("3,9FastEdit")
  await_state("preview")
  press("<CR>")
  vim.cmd("buffer target.py")
  equal(saved("target.py"), AFTER)
end)

test("an edit in a file, and one that is in the buffer already", function()
  open("file.py", SHAPES, "")
  write("edit with spaces.md", "```python\n" .. LAZY_EDIT .. "```\n")
  vim.cmd("FastEdit file edit with spaces.md")
  await_state("preview")
  press("<CR>")
  equal(saved("file.py"), AFTER)
  vim.cmd("FastEdit file edit with spaces.md")
  await_state("idle")
  has(told[#told], "NO_CHANGE")
end)

local FOR_TWO = ("In `first.py`:\n\n```python\n%s```\n\nand in `sub/second.py`:\n\n```python\n%s```\n"):format(
  LAZY_EDIT,
  "# ... existing code ...\nPATCHED = True\n"
)
local SECOND = "NAME = 1\nPATCHED = False\n"

--- Opens first.py, or another file, with an edit of first.py and sub/second.py copied.
local function open_for_two(edit, active)
  vim.fn.mkdir(folder .. "/sub", "p")
  vim.cmd("silent! bwipeout! " .. folder .. "/sub/second.py")
  write("sub/second.py", SECOND)
  open("first.py", SHAPES, edit)
  if active then
    open(active, SHAPES, edit)
  end
end

test("a message about several files goes to all of them, whichever is open", function()
  for _, active in ipairs({ "first.py", "active.py" }) do
    open_for_two(FOR_TWO, active)
    vim.cmd("FastEdit")
    await_state("preview")
    local shown = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
    has(shown, "^# 2 files: 3 hunks, structural, %d+ ms\n# <CR>")
    has(shown, "\n%+%+%+ first.py\n@@ .*%-    return factor %* 2.*\n%+%+%+ sub/second.py\n@@ .*%-PATCHED = False")
    press("<CR>")
    has(told[#told], "3 hunks, structural")
    for name, contents in pairs({ ["first.py"] = { AFTER, SHAPES }, ["sub/second.py"] = {
      "NAME = 1\nPATCHED = True\n",
      SECOND,
    } }) do
      vim.cmd("buffer " .. name)
      equal(saved(name), contents[1])
      press("u")
      equal(saved(name), contents[2])
    end
  end
  equal(disk("active.py"), SHAPES)
end)

test("a hunk of one of several files can be left out", function()
  open_for_two(FOR_TWO)
  vim.cmd("FastEdit")
  await_state("preview")
  press("]c]c]c<Space><CR>")
  equal(saved("first.py"), AFTER)
  vim.cmd("buffer sub/second.py")
  equal(saved("sub/second.py"), SECOND)
end)

test("several files are changed together or not at all", function()
  local unfitting = "first.py\n<<<<<<< SEARCH\ndef nowhere():\n=======\nx\n>>>>>>> REPLACE\n"
  local edits = {
    ANCHOR_NOT_FOUND = unfitting .. FOR_TWO:gsub("^.-and in", ""),
    INVALID_PATH = FOR_TWO:gsub("sub/second", "sub/third"),
    CONTENT_CONFLICT = FOR_TWO,
  }
  for code, edit in pairs(edits) do
    open_for_two(edit)
    vim.cmd("FastEdit")
    if code == "CONTENT_CONFLICT" then
      await_state("preview")
      vim.api.nvim_buf_set_lines(vim.fn.bufnr("sub/second.py"), 0, 0, true, { "# typed meanwhile" })
      press("<CR>")
      vim.api.nvim_buf_set_lines(vim.fn.bufnr("sub/second.py"), 0, 1, true, {})
    else
      await_state("refused")
    end
    has(table.concat(told), code)
    vim.cmd("silent! cclose")
    equal(saved("first.py"), SHAPES)
    equal(disk("sub/second.py"), SECOND)
  end
  equal(vim.fn.bufexists(folder .. "/sub/third.py"), 0)
end)

test("a new file among several", function()
  open_for_two((FOR_TWO:gsub("sub/second.py", "sub/new.py"):gsub("# %.%.%. existing code %.%.%.\nPATCHED", "PATCHED")))
  vim.cmd("FastEdit")
  await_state("preview")
  press("<CR>")
  vim.cmd("buffer sub/new.py")
  equal(saved("sub/new.py"), "PATCHED = True\n")
end)

test("registers without text, and words that mean nothing, are told", function()
  open("words.py", SHAPES, " \n")
  vim.cmd("FastEdit")
  vim.cmd("FastEdit sideways")
  has(told[1], "EDIT_EMPTY")
  has(told[2], "can't sideways")
end)

test("a new file, and one that becomes empty", function()
  open("new.py", "", "*** Begin Patch\n*** Add File: new.py\n+ONE = 1\n*** End Patch\n")
  vim.cmd("FastEdit")
  await_state("preview")
  press("<CR>")
  equal(saved("new.py"), "ONE = 1\n")
  press("u")
  equal(saved("new.py"), "")
  open("gone.py", "ONE = 1\n", "--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-ONE = 1\n")
  vim.cmd("FastEdit")
  await_state("preview")
  press("<CR>")
  equal(saved("gone.py"), "")
end)

test("a file of 20,000 lines", function()
  local functions = {}
  for number = 1, 5000 do
    table.insert(functions, ("def f%d(x):\n    return x + %d\n"):format(number, number))
  end
  local long = table.concat(functions, "\n\n")
  open("long.py", long, "def f4321(x):\n    return x - 4321\n")
  vim.cmd("FastEdit")
  await_state("preview")
  press("<CR>")
  equal(saved("long.py") == (long:gsub("x %+ 4321", "x - 4321")), true)
  press("u")
  equal(saved("long.py") == long, true)
end)

test("the way over curl gives the same", function()
  open("curl.py", SHAPES, LAZY_EDIT)
  local http = require("fastedit.http")
  local plain = http._send_plain
  http._send_plain = function(_, request, handlers)
    return require("fastedit.curl").send(request, handlers)
  end
  vim.cmd("FastEdit")
  local ok, problem = pcall(await_state, "preview")
  http._send_plain = plain
  equal({ ok, problem }, { true })
  press("<CR>")
  equal(saved("curl.py"), AFTER)
end)

test(":checkhealth", function()
  open("health.py", SHAPES, "")
  vim.cmd("checkhealth fastedit")
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n")
  has(text, "answers at " .. vim.pesc(URL))
  has(text, "it has no target")
  vim.cmd("bwipeout!")
  fastedit.setup({ url = ("http://127.0.0.1:%d"):format(service.free_port()) })
  vim.cmd("checkhealth fastedit")
  has(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "\n"), "no service at .*ECONNREFUSED")
  vim.cmd("bwipeout!")
end)

test("the time from the command to the preview, for a small edit in a file of 300 lines", function()
  local functions = {}
  for number = 0, 74 do
    table.insert(functions, ("def f%d(x):\n    return x + %d\n"):format(number, number))
  end
  local elapsed = {}
  for number = 0, 11 do
    open("timed.py", table.concat(functions, "\n\n"), ("def f%d(x):\n    return x - %d\n"):format(number, number))
    local started = vim.loop.hrtime()
    vim.cmd("FastEdit")
    await_state("preview")
    vim.cmd("redraw")
    table.insert(elapsed, (vim.loop.hrtime() - started) / 1e6)
    press("q")
  end
  table.sort(elapsed)
  harness.note(("nvim_keystroke_to_preview p50_ms=%.0f max_ms=%.0f runs=12"):format(elapsed[6], elapsed[12]))
end)

stop()
harness.finish("nvim_e2e")
