-- Ends a run that surely did nothing: puts back what was there before the claim. ARGV: token.
if state == 0 then
  return answer('K')
elseif not holder(ARGV[1]) then
  return answer('L', record)
elseif bit.band(flags, 1) ~= 0 then
  in_doubt(now)
  return answer('K')
end
return free(generation)
