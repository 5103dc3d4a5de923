-- The server's clock, for leases: no client's clock decides when one ends.
local t = redis.call('TIME')
local micros = t[1] * 1000000 + t[2]
-- With a fraction, which every use drops: struct.pack cuts it off, and it decides no comparison with whole milliseconds.
local now = micros / 1000
