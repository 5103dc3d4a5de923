-- Starts the lease anew; in doubt too, for who asks is alive and still runs. ARGV: token, lease_ms.
if not holder(ARGV[1]) then
  return answer('L', record)
end
redis.call('SET', KEYS[1],
  '\17' .. string.sub(record, 2, 30) .. struct.pack('>I6', now + ARGV[2]) .. string.sub(record, 37))
return answer('K')
