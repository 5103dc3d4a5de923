-- Read first by every script: the clock and the record as it is. KEYS[1] is the record, KEYS[2] the index of unsettled ones.
local t = redis.call('TIME')
local micros = t[1] * 1000000 + t[2]
-- With a fraction, which every use drops: struct.pack cuts it off, and it decides no comparison with whole milliseconds.
local now = micros / 1000
local record = redis.call('GET', KEYS[1])
