-- One step of one password attempt, decided atomically and by Redis' own time.
--
-- KEYS  attempts   hash: what this address has tried on the subject: begun, failed, until (ms since 1970: it waits till then)
--       total      number: failures on the subject from all addresses
--       known      sorted set: the addresses that have succeeded on the subject, each with the time of its last success
--       unknown    sorted set: those of the keys above that are kept of unknown subjects, each with the time of its last write
-- ARGV  the step: begin, failed, succeeded or void; the address; 1 if the subject is unknown, else 0; the policy as JSON
--       (guard-steps.ts says what its fields mean)
-- gives what became of the step (begin: begun, unsettled or refused; else the step itself), and the wait in ms
--
-- All keys of a call carry one shard's tag, and so do those that `unknown` holds.
local attempts, total, known, unknown = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local step, address, is_unknown, policy = ARGV[1], ARGV[2], ARGV[3] == '1', cjson.decode(ARGV[4])

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function field(name)
    return tonumber(redis.call('HGET', attempts, name)) or 0
end

local function total_failures()
    return tonumber(redis.call('GET', total)) or 0
end

-- Callers can make up any number of subjects: of what is kept of them, the oldest makes room.
local function bound(key)
    if not is_unknown then return end
    redis.call('ZADD', unknown, string.format('%.0f', now), key)
    redis.call('PEXPIRE', unknown, policy.day)
    for _ = policy.max_unknown + 1, redis.call('ZCARD', unknown) do
        redis.call('DEL', redis.call('ZPOPMIN', unknown)[1])
    end
end

-- An attempt counts as a failure from its beginning, so that many at once cannot be more guesses than few in a row.
local function count(begun)
    redis.call('HSET', attempts, 'begun', begun)
    if begun >= policy.free then
        local wait = math.min(policy.longest_wait, policy.first_wait * 2 ^ (begun - policy.free))
        redis.call('HSET', attempts, 'until', string.format('%.0f', now + wait))
    end
    redis.call('PEXPIRE', attempts, policy.day)
    bound(attempts)
end

local function count_in_total()
    if redis.call('INCR', total) == 1 then redis.call('PEXPIRE', total, policy.day) end
    bound(total)
end

local function give_back_of_total()
    if total_failures() > 0 then redis.call('DECR', total) end
end

local function has_succeeded_before()
    local last = redis.call('ZSCORE', known, address)
    return last and tonumber(last) > now - policy.remembered
end

local function remember_success()
    redis.call('ZADD', known, string.format('%.0f', now), address)
    redis.call('ZREMRANGEBYSCORE', known, '-inf', string.format('%.0f', now - policy.remembered))
    redis.call('ZREMRANGEBYRANK', known, 0, -policy.max_known - 1)
    redis.call('PEXPIRE', known, policy.remembered)
end

if step == 'begin' then
    local wait = field('until') - now
    if wait > 0 then
        -- Those under way may yet turn out right: then nobody has to wait.
        local unsettled = field('failed') < policy.free and wait <= policy.first_wait
        return { unsettled and 'unsettled' or 'refused', wait }
    end
    if total_failures() >= policy.day_limit and not has_succeeded_before() then
        return { 'refused', redis.call('PTTL', total) }
    end
    count(field('begun') + 1)
    count_in_total()
    return { 'begun', 0 }
end

if step == 'failed' then
    local failed = redis.call('HINCRBY', attempts, 'failed', 1)
    redis.call('PEXPIRE', attempts, policy.day)
    -- Fewer have begun where a success has cleared the record in between.
    if field('begun') < failed then count(failed) end
elseif step == 'succeeded' then
    redis.call('DEL', attempts)
    remember_success()
    give_back_of_total()
else -- 'void': it came to no verdict
    if field('begun') > 0 then
        redis.call('HINCRBY', attempts, 'begun', -1)
        redis.call('HDEL', attempts, 'until')
    end
    give_back_of_total()
end
return { step, 0 }
