std = "luajit"
read_globals = { "vim" }
globals = { "vim.wo", "vim.bo", "vim.b", "vim.g", "vim.o" }
max_line_length = 110
