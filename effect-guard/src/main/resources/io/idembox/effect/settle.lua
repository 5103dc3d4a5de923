-- Ends a run: done or rejected. Accepted as long as the record carries the token, in doubt too; never over a successor's.
-- ARGV: token, then as settled.lua.
local mark = string.sub(ARGV[1], 1, 4)
if state == 0 then
  store_end(2, mark, '\0\0')
  return answer('A')
elseif holder(ARGV[1]) then
  store_end(2, mark, generation_of())
  return answer('K')
elseif (state == 3 or state == 4) and string.sub(record, 7, 10) == mark then
  -- The same settlement came before, and its answer was lost.
  return answer('K')
end
return answer('L', record)
