-- A person's word that it did not happen.
if state == 0 or state == 5 then
  return answer('0', record)
elseif state == 3 or state == 4 then
  return answer('S', record)
elseif running() then
  return answer('H', record)
end
return free(generation)
