-- Starts the lease anew; in doubt too, for who asks is alive and still runs. ARGV: token, lease_ms.
if not holder(ARGV[1]) then
  return answer('L', record)
end
store_unsettled('\17' .. string.sub(record, 2, 9) .. struct.pack('>I6', now + ARGV[2]) .. string.sub(record, 16, 21)
  .. string.char(bit.bor(flags, 2)) .. string.sub(record, 23), bit.band(flags, 2) == 0)
return answer('K')
