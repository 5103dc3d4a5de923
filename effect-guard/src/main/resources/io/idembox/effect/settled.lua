-- Read by the scripts that write done or rejected. ARGV: anything, head and flags, mark and fingerprint and payload,
-- retention_ms.
local function store_end(generation)
  local head, flags = string.byte(ARGV[2], 1, 2)
  if generation ~= '\0\0' then
    flags = flags + 4
  else
    generation = ''
  end
  redis.call('SET', KEYS[1],
    struct.pack('>BBI4', head, flags, t[1]) .. string.sub(ARGV[3], 1, 8) .. generation .. string.sub(ARGV[3], 9),
    'PX', ARGV[4])
  redis.call('SREM', KEYS[2], KEYS[1])
end
