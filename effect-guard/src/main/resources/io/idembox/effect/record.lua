-- Takes the record apart. The layout is that of RecordFormat.java, the transitions are those of EffectTransitions.java.
-- 0 absent, 1 claimed, 2 in doubt, 3 done, 4 rejected, 5 free
local state = 0

local function answer(code, stored)
  return code .. struct.pack('>I6', now) .. (stored or '')
end

if record then
  local head, flags = string.byte(record, 1, 2)
  local length = #record
  local least = 47
  if length >= 4 and head > 16 and head < 22 then
    state = head - 16
    if state > 4 then
      least = 4
    elseif state > 2 then
      least = bit.band(flags, 4) == 0 and 14 or 16
    elseif length >= 47 then
      least = 47 + string.byte(record, 47)
    end
  end
  -- Damaged, or of a newer format: held, never free, and left as it is.
  if state == 0 or length < least then
    return answer('N', record)
  end
end

local function holder(token)
  return (state == 1 or state == 2) and string.sub(record, 7, 22) == token
end

local function running()
  return state == 1 and struct.unpack('>I6', record, 31) > now
end

-- Removes the record, or leaves the generation that a forget raised.
local function free(generation)
  if generation == '\0\0' then
    redis.call('DEL', KEYS[1])
  else
    redis.call('SET', KEYS[1], '\21\0' .. generation)
  end
  redis.call('SREM', KEYS[2], KEYS[1])
  return answer('K')
end

-- Since when a record that is claimed is in doubt: the end of its lease, or an earlier attempt's.
local function in_doubt(since)
  if state == 1 then
    if bit.band(string.byte(record, 2), 1) == 1 then
      record = '\18' .. string.sub(record, 2)
    else
      record = '\18' .. string.sub(record, 2, 36) .. struct.pack('>I6', since) .. string.sub(record, 43)
    end
    redis.call('SET', KEYS[1], record)
  end
end

local function generation_of()
  if state == 0 then
    return '\0\0'
  elseif state == 3 or state == 4 then
    return bit.band(string.byte(record, 2), 4) == 0 and '\0\0' or string.sub(record, 15, 16)
  end
  return string.sub(record, 3, 4)
end
