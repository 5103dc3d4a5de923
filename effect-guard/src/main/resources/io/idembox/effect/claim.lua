-- Takes the key for one run. Settles the race of any number of callers: one of them finds it free.
-- ARGV: head of the record as claimed from nothing (up to the token), lease_ms, take_over, earlier_unknown, its end
-- (fingerprint, owner, key). Without allow-oom: a server that is full must refuse the claim, so that nothing starts which
-- could not be recorded.
if state == 3 or state == 4 then
  return answer('S', record)
end
local token = string.sub(ARGV[1], 7, 22)
local attempts = struct.unpack('>I2', ARGV[1], 5)
local lease = tonumber(ARGV[2])
local take_over = ARGV[3] == '1'
local doubt_before = ARGV[4] == '1'
local fingerprint = string.sub(ARGV[5], 1, 4)
local generation = generation_of()
local fence = micros
local since = now
if state == 1 or state == 2 then
  local until_ms, since_ms = struct.unpack('>I6I6', record, 31)
  if state == 1 and string.sub(record, 7, 22) == token then
    record = string.sub(record, 1, 30) .. struct.pack('>I6', now + lease) .. string.sub(record, 37)
    redis.call('SET', KEYS[1], record)
    return answer('K', record)
  end
  if state == 1 and until_ms > now then
    return answer('H', record)
  end
  if not take_over then
    in_doubt(until_ms)
    return answer('U', record)
  end
  local first = string.sub(record, 43, 46)
  if fingerprint == '\0\0\0\0' then
    fingerprint = first
  elseif first ~= '\0\0\0\0' and first ~= fingerprint then
    in_doubt(until_ms)
    return answer('M', record)
  end
  since = (state == 2 or bit.band(string.byte(record, 2), 1) == 1) and since_ms or until_ms
  doubt_before = true
  local attempts_before = struct.unpack('>I2', record, 5)
  attempts = math.max(attempts_before + 1, attempts)
  local fence_before = struct.unpack('>I8', record, 23)
  fence = math.max(fence_before + 1, micros)
end
local held = doubt_before and not take_over
record = struct.pack('BB', held and 18 or 17, doubt_before and 1 or 0) .. generation
  .. struct.pack('>I2', math.min(attempts, 65535)) .. token
  .. struct.pack('>I8I6I6', fence, now + lease, since) .. fingerprint .. string.sub(ARGV[5], 5)
redis.call('SET', KEYS[1], record)
redis.call('SADD', KEYS[2], KEYS[1])
return answer(held and 'U' or 'K', record)
