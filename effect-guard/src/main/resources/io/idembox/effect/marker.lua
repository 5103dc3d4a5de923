-- Reads the namespace's marker, or writes one. ARGV: id.
local marker = redis.call('GET', KEYS[1])
if marker then
  return '0' .. marker
end
local t = redis.call('TIME')
marker = struct.pack('>I6', math.floor(t[1] * 1000 + t[2] / 1000)) .. ARGV[1]
redis.call('SET', KEYS[1], marker)
return '1' .. marker
