-- Decides one step of one password attempt, atomically. Times are those of Redis.
--
-- KEYS  attempts   hash, the attempts from this address on the subject: begun, failed, until (when the wait of the
--                  address ends, in ms since 1970)
--       total      number of failures on the subject from all addresses
--       known      sorted set: the addresses that have succeeded on the subject, each with the time of its last success
--       unknown    sorted set: `attempts` and `total` keys of unknown subjects, each with the time of its last write
-- ARGV  the step: begin, failed, succeeded or void; the address; 1 if the subject is unknown, else 0; the policy as
--       JSON (guard-steps.ts explains its fields)
-- Returns the result (of begin: begun, unsettled or refused; of another step: the step itself) and the wait in ms.
--
-- All keys of a call, and all keys in `unknown`, have the tag of the same shard.
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

-- Callers can invent any number of subjects, so the number of their keys is limited: the oldest key is deleted.
local function bound(key)
    if not is_unknown then return end
    redis.call('ZADD', unknown, string.format('%.0f', now), key)
    redis.call('PEXPIRE', unknown, policy.day)
    for _ = policy.max_unknown + 1, redis.call('ZCARD', unknown) do
        redis.call('DEL', redis.call('ZPOPMIN', unknown)[1])
    end
end

-- An attempt counts as a failure from its start, so that concurrent attempts give no more guesses than sequential ones.
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
        -- If an attempt in progress succeeds, this one need not wait.
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
    -- `begun` is smaller if a success has deleted the record since this attempt began.
    if field('begun') < failed then count(failed) end
elseif step == 'succeeded' then
    redis.call('DEL', attempts)
    remember_success()
    give_back_of_total()
else -- 'void': the password check gave no result
    if field('begun') > 0 then
        if redis.call('HINCRBY', attempts, 'begun', -1) == 0 and field('failed') == 0 then
            redis.call('DEL', attempts)
        else
            redis.call('HDEL', attempts, 'until')
        end
    end
    give_back_of_total()
end
return { step, 0 }
