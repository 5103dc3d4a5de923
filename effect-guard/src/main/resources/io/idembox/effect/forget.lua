-- A person's wish that it may run again, under a new provider key: the generation is part of that.
if state == 0 or state == 5 then
  return answer('0', record)
elseif running() then
  return answer('H', record)
end
local generation = math.min(struct.unpack('>I2', generation_of()) + 1, 65535)
return free(struct.pack('>I2', generation))
