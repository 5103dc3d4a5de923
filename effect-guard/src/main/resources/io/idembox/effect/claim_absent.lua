-- The claim of a key that nothing is known of, ahead of the rest because nearly all are: the caller has made the record, and
-- gets back the part with times in it. It enters the index with its first renewal, or when it comes in doubt. An error here
-- (a server that is full takes no writes) is told only if the key is absent indeed: what is done can still be read.
local refused
if not ARGV[3] or string.byte(ARGV[1]) == 0 then
  local stamp = struct.pack('>BI8I6I6', 17, micros, now + ARGV[2], now)
  local stored = redis.pcall('SET', KEYS[1], stamp .. ARGV[1], 'NX')
  if stored then
    if stored.ok then
      return stamp
    end
    refused = stored
  end
end
