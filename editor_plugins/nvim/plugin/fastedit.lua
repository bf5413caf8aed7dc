if vim.g.loaded_fastedit then
  return
end
vim.g.loaded_fastedit = true

vim.api.nvim_create_user_command("FastEdit", function(command)
  require("fastedit.command").run(command)
end, {
  nargs = "*",
  range = true,
  desc = "Merge an edit from a register, a range or a file into a buffer",
  complete = function(lead, line)
    return require("fastedit.command").complete(lead, line)
  end,
})

vim.keymap.set("n", "<Plug>(FastEdit)", "<Cmd>FastEdit<CR>", { desc = "FastEdit: apply what was copied" })
