-- Which project a file is of.
local options = require("sightline.options")

local M = {}

local is_too_wide, is_within

---The project of a buffer: the marked folder around it, else the working directory if it is in
---there, else the folder of a server that runs, else its own. Nil for what is no file, and where
---the folder would be somebody's whole home.
---@param bufnr integer
---@return string?
function M.of_buffer(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == "" or vim.bo[bufnr].buftype ~= "" or name:find("^%a[%w+.-]+://") then
    return nil
  end
  local path = vim.fs.normalize(name)
  local marked = vim.fs.root(bufnr, options.current.root_markers)
  if marked then
    return marked
  end
  local working = vim.fs.normalize(vim.fn.getcwd())
  if is_within(working, path) and not is_too_wide(working) then
    return working
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = "sightline" })) do
    local folder = M.of_uri(client, vim.uri_from_fname(path)) or client.root_dir
    if folder then
      return folder
    end
  end
  local own = vim.fs.dirname(path)
  return not is_too_wide(own) and vim.fn.isdirectory(own) == 1 and own or nil
end

---The innermost of a client's workspace folders that a file is in.
---@param client vim.lsp.Client
---@param uri? string
---@return string?
function M.of_uri(client, uri)
  local path = uri and vim.startswith(uri, "file:") and vim.uri_to_fname(uri) or nil
  local best ---@type string?
  for _, folder in ipairs(client.workspace_folders or {}) do
    local root = vim.uri_to_fname(folder.uri)
    if path and is_within(root, path) and #root > #(best or "") then
      best = root
    end
  end
  return best
end

---@param folder string
---@param path string
---@return boolean
function is_within(folder, path)
  folder = folder:gsub("/+$", "")
  return path == folder or vim.startswith(path, folder .. "/")
end

---@param folder string
---@return boolean
function is_too_wide(folder)
  local home, temporary = vim.uv.os_homedir() or "", vim.uv.os_tmpdir() or ""
  return folder == vim.fs.dirname(folder)
    or folder == vim.fs.normalize(home)
    or folder == vim.fs.normalize(temporary)
end

return M
