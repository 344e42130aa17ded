-- One step of one password attempt, decided atomically and by Redis' own time.
-- KEYS: what is known of the subject from this address; the subject's failures from everywhere; whether this address has
-- succeeded before. ARGV: the step, then the policy of guard.ts in its order; times in milliseconds.
local attempts, total, known = KEYS[1], KEYS[2], KEYS[3]
local step = ARGV[1]
local free, first_wait, longest_wait = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local day_limit, day, remembered = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function field(name)
    return tonumber(redis.call('HGET', attempts, name)) or 0
end

-- An attempt counts as a failure from its beginning, so that many at once cannot be more guesses than few in a row.
local function count(begun)
    redis.call('HSET', attempts, 'begun', begun)
    if begun >= free then
        local wait = math.min(longest_wait, first_wait * 2 ^ (begun - free))
        redis.call('HSET', attempts, 'until', string.format('%.0f', now + wait))
    end
    redis.call('PEXPIRE', attempts, day)
end

local function give_back_of_total()
    if (tonumber(redis.call('GET', total)) or 0) > 0 then redis.call('DECR', total) end
end

if step == 'begin' then
    local wait = field('until') - now
    if wait > 0 then
        -- Those under way may yet turn out right: then nobody has to wait.
        local unsettled = field('failed') < free and wait <= first_wait
        return { unsettled and 'unsettled' or 'refused', wait }
    end
    if redis.call('EXISTS', known) == 0 and (tonumber(redis.call('GET', total)) or 0) >= day_limit then
        return { 'refused', redis.call('PTTL', total) }
    end
    count(field('begun') + 1)
    if redis.call('INCR', total) == 1 then redis.call('PEXPIRE', total, day) end
    return { 'begun', 0 }
end

if step == 'failed' then
    local failed = redis.call('HINCRBY', attempts, 'failed', 1)
    redis.call('PEXPIRE', attempts, day)
    -- Fewer have begun where a success has cleared the record in between.
    if field('begun') < failed then count(failed) end
elseif step == 'succeeded' then
    redis.call('DEL', attempts)
    redis.call('SET', known, '1', 'PX', remembered)
    give_back_of_total()
else -- 'void': it came to no verdict
    if field('begun') > 0 then
        redis.call('HINCRBY', attempts, 'begun', -1)
        redis.call('HDEL', attempts, 'until')
    end
    give_back_of_total()
end
return { step, 0 }
