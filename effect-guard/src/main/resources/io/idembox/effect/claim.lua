-- Takes the key for one run. Settles the race of any number of callers: one of them finds it free.
-- ARGV: the record from its flags on as claimed from nothing, lease_ms, and '0' if it must not be taken over. Without
-- allow-oom: a server that is full must refuse the claim, so that nothing starts which could not be recorded.
if state == 3 or state == 4 then
  return answer('S', record)
elseif state == 0 and refused then
  return refused
end
local lease = tonumber(ARGV[2])
local take_over = not ARGV[3]
local doubt = string.byte(ARGV[1])
local attempts = struct.unpack('>I2', ARGV[1], 4)
local token = string.sub(ARGV[1], 6, 21)
local fingerprint = string.sub(ARGV[1], 22, 25)
local fence = micros
local since = now
local indexed = 0
if state == 1 or state == 2 then
  local until_ms, since_ms = struct.unpack('>I6I6', record, 10)
  if state == 1 and holder(token) then
    record = string.sub(record, 1, 9) .. struct.pack('>I6', now + lease) .. string.sub(record, 16)
    redis.call('SET', KEYS[1], record)
    return answer('K', record)
  end
  if running() then
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
  since = (state == 2 or bit.band(flags, 1) ~= 0) and since_ms or until_ms
  doubt = 1
  indexed = bit.band(flags, 2)
  local attempts_before = struct.unpack('>I2', record, 25)
  attempts = math.max(attempts_before + 1, attempts)
  local fence_before = struct.unpack('>I8', record, 2)
  fence = math.max(fence_before + 1, micros)
end
local held = doubt == 1 and not take_over
if held then
  indexed = 2
end
store_unsettled(struct.pack('>BI8I6I6B', held and 18 or 17, fence, now + lease, since, doubt + indexed) .. generation
  .. struct.pack('>I2', math.min(attempts, 65535)) .. token .. fingerprint .. string.sub(ARGV[1], 26), held)
return answer(held and 'U' or 'K', record)
