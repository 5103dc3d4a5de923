-- Takes many keys, each by itself, if nothing is known of it: claim_absent.lua in a loop, with one look at the clock.
-- ARGV: lease_ms, '1' if what is in doubt may be taken over, else '0', then for each key the record from its flags on.
-- Answers the part with times, which all have in common, and the numbers of the keys that were not taken: whatever the reason
-- is, the claim of that key alone finds it out. An error ends no loop, so that each key that was taken is told.
local stamp = struct.pack('>BI8I6I6', 17, micros, now + ARGV[1], now)
local take_over = ARGV[2] == '1'
local answer = stamp
for i = 1, #KEYS do
  local tail = ARGV[i + 2]
  local stored = (take_over or string.byte(tail) == 0) and redis.pcall('SET', KEYS[i], stamp .. tail, 'NX')
  if not (stored and stored.ok) then
    answer = answer .. struct.pack('>I2', i)
  end
end
return answer
