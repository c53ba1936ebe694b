-- Take up to ARGV[3] tokens from KEYS[1], which has at most ARGV[2]; each is refilled in ARGV[1] microseconds. The key
-- stores the time at which all tokens are refilled (generic cell rate algorithm). Returns the numbers of tokens taken
-- and left, and the microseconds until one is available, or until all are.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local each, most, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local kept = tonumber(redis.call('GET', KEYS[1]) or 0)
-- the clock may have been set back
local worth = math.min(math.max(kept, now), now + each * most)
local left = math.floor((now + each * most - worth) / each)
if left < 1 then
    return {0, 0, worth + each - now - each * most}
end
local taken = math.min(left, wanted)
worth = worth + taken * each
redis.call('SET', KEYS[1], string.format('%.0f', worth), 'PX', math.ceil((worth - now) / 1000))
return {taken, left - taken, worth - now}
