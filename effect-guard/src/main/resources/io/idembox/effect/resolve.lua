-- A person's word that it happened, or was refused for good. ARGV: as settled.lua.
if state == 3 or state == 4 then
  return answer('S', record)
elseif running() then
  return answer('H', record)
end
store_end()
return answer('K')
