-- Ends many first runs that still hold their keys, each by itself: settle_own.lua in a loop. ARGV: retention_ms, then for each key
-- the record from its flags to its token as claimed from nothing, and the settled record.
-- Answers the numbers of the keys that were not settled here: the end of that run alone finds out why. An error ends no loop.
local answer = ''
for i = 1, #KEYS do
  local record = redis.pcall('GET', KEYS[i])
  local stored = type(record) == 'string' and string.sub(record, 22, 42) == ARGV[2 * i] and string.byte(record) == 17
    and #record > 46 and redis.pcall('SET', KEYS[i], ARGV[2 * i + 1], 'PX', ARGV[1])
  if not (stored and stored.ok) then
    answer = answer .. struct.pack('>I2', i)
  end
end
return answer
