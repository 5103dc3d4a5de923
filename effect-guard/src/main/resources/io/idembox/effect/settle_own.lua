-- The end of a first run that still holds its key, ahead of the rest because nearly all are. ARGV: the record from its flags
-- to its token as claimed from nothing, the settled record, retention_ms.
if record and string.sub(record, 22, 42) == ARGV[1] and string.byte(record) == 17 and #record > 46 then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return 'K'
end
