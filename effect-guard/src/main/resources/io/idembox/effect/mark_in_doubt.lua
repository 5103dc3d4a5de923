-- Ends a run of unknown outcome. ARGV: token.
if not holder(ARGV[1]) then
  return answer('L', record)
end
in_doubt(math.min(now, (struct.unpack('>I6', record, 10))))
return answer('K')
