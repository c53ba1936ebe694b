-- Take up to ARGV[3] of what KEYS[1] has left of ARGV[2] in the time that these take at ARGV[1] microseconds each. The key
-- holds until when all that was taken is worth (the generic cell rate algorithm). Answers how many were taken, how many
-- are left, and the microseconds until there is one again, or until all are.
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
