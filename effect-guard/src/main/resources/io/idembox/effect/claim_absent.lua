-- The claim of a key that nothing is known of, ahead of the rest because nearly all are: the caller has made the record's
-- parts, and gets back only what it does not know.
if not record and (ARGV[4] == '0' or ARGV[3] == '1') then
  local stamp = struct.pack('>I8I6I6', micros, now + ARGV[2], now)
  redis.call('SET', KEYS[1], ARGV[1] .. stamp .. ARGV[5])
  redis.call('SADD', KEYS[2], KEYS[1])
  return 'C' .. stamp
end
