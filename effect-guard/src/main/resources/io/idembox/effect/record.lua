-- Takes the record apart. The layout is that of RecordFormat.java, the transitions are those of EffectTransitions.java.
-- 0 absent, 1 claimed, 2 in doubt, 3 done, 4 rejected, 5 free
local state = 0
-- Of an unsettled record: 1 in doubt before its claim, 2 in the index. Of a settled one: 2 receipt not kept, 4 generation.
local flags = 0
local generation = '\0\0'

local function answer(code, stored)
  return code .. struct.pack('>I6', now) .. (stored or '')
end

if record then
  local length = #record
  local least = 47
  local head = string.byte(record)
  if length >= 4 and head > 16 and head < 22 then
    state = head - 16
    if state > 4 then
      least = 4
      generation = string.sub(record, 3, 4)
    elseif state > 2 then
      flags = string.byte(record, 2)
      least = 14
      if bit.band(flags, 4) ~= 0 then
        least = 16
        generation = string.sub(record, 15, 16)
      end
    elseif length >= 47 then
      flags = string.byte(record, 22)
      least = 47 + string.byte(record, 47)
      generation = string.sub(record, 23, 24)
    end
  end
  -- Damaged, or of a newer format: held, never free, and left as it is.
  if state == 0 or length < least then
    return answer('N', record)
  end
end

local function holder(token)
  return (state == 1 or state == 2) and string.sub(record, 27, 42) == token
end

local function running()
  return state == 1 and struct.unpack('>I6', record, 10) > now
end

local function out_of_index()
  if (state == 1 or state == 2) and bit.band(flags, 2) ~= 0 then
    redis.call('SREM', KEYS[2], KEYS[1])
  end
end

-- Puts an unsettled record, and the index beside it, in the same step.
local function store_unsettled(stored, indexed)
  redis.call('SET', KEYS[1], stored)
  if indexed then
    redis.call('SADD', KEYS[2], KEYS[1])
  end
  record = stored
end

-- Removes the record, or leaves the generation that a forget raised.
local function free(left)
  if left == '\0\0' then
    redis.call('DEL', KEYS[1])
  else
    redis.call('SET', KEYS[1], '\21\0' .. left)
  end
  out_of_index()
  return answer('K')
end

-- Turns a claimed record into one in doubt; since when, unless an earlier attempt says so.
local function in_doubt(since)
  if state == 1 then
    if bit.band(flags, 1) == 0 then
      since = struct.pack('>I6', since)
    else
      since = string.sub(record, 16, 21)
    end
    store_unsettled('\18' .. string.sub(record, 2, 15) .. since .. string.char(bit.bor(flags, 2))
      .. string.sub(record, 23), true)
  end
end
