-- The record as it is. KEYS[1] is the record, KEYS[2] the index of what is unsettled.
local record = redis.call('GET', KEYS[1])
