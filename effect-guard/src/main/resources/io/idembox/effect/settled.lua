-- Read by the scripts that write done or rejected. ARGV: anything, the record as if of generation 0, retention_ms.
local function store_end()
  local settled = ARGV[2]
  if generation ~= '\0\0' then
    local head, end_flags = string.byte(settled, 1, 2)
    settled = string.char(head, end_flags + 4) .. string.sub(settled, 3, 14) .. generation .. string.sub(settled, 15)
  end
  redis.call('SET', KEYS[1], settled, 'PX', ARGV[3])
  out_of_index()
end
