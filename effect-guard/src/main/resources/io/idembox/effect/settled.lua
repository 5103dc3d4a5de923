-- Read by the scripts that write done or rejected. ARGV from `first`: head and flags, fingerprint, payload, retention_ms.
local function store_end(first, mark, generation)
  local head, flags = string.byte(ARGV[first], 1, 2)
  if generation ~= '\0\0' then
    flags = flags + 4
  else
    generation = ''
  end
  redis.call('SET', KEYS[1],
    struct.pack('>BBI4', head, flags, math.floor(now / 1000)) .. mark .. ARGV[first + 1] .. generation .. ARGV[first + 2],
    'PX', ARGV[first + 3])
  redis.call('SREM', KEYS[2], KEYS[1])
end
