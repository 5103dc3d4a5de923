-- A person's wish that it may run again, under a new provider key: the generation is part of that.
if state == 0 or state == 5 then
  return answer('0', record)
elseif running() then
  return answer('H', record)
end
return free(struct.pack('>I2', math.min(struct.unpack('>I2', generation) + 1, 65535)))
