-- Ends a run: done or rejected. Accepted as long as the record carries the token, in doubt too; never over a successor's.
local token = string.sub(ARGV[1], 6, 21)
if state == 0 then
  store_end()
  return answer('A')
elseif holder(token) then
  store_end()
  return answer('K')
elseif (state == 3 or state == 4) and string.sub(record, 7, 10) == string.sub(token, 1, 4) then
  -- The same settlement came before, and its answer was lost.
  return answer('K')
end
return answer('L', record)
