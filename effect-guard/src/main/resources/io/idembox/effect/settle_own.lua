-- The end of a first run that still holds its key, ahead of the rest because nearly all are.
-- ARGV: head of the record as claimed from nothing (up to the token), head and flags, mark and fingerprint and payload,
-- retention_ms.
if record and string.sub(record, 1, 22) == ARGV[1] and #record > 46 then
  redis.call('SET', KEYS[1], ARGV[2] .. struct.pack('>I4', t[1]) .. ARGV[3], 'PX', ARGV[4])
  redis.call('SREM', KEYS[2], KEYS[1])
  return 'K' .. struct.pack('>I6', now)
end
