-- Decides a group of calls, each against the bucket it counts in and the liveness mark of the key or session it came with.
-- All keys carry one shard's tag. Time is Redis' own, so that every gateway sees the same window.
--
-- KEYS  bucket, mark for each call (the mark is the bucket itself where there is none); last: the set of buckets to be
--       folded, and the era of this memory
-- ARGV  window length, mark lifetime (ms), the era that the caller knows of; then for each call its limit, 1 if its owner
--       has just confirmed it else 0
-- gives for each call: state, remaining, end of window (ms since 1970); last: now (ms), the era
--       state: 0 admitted, 1 over the limit, 2 refused (revoked), 3 unconfirmed (ask the owner)
--
-- A flush, a restart or the promotion of a replica may lose a refused mark and keep what it stood against. Each of them
-- begins another era: a live mark names the era it was set in and is void in the next, and an owner's word counts only
-- from a caller that knew the present era when it asked.
--
-- A record is packed doubles: life (ms of its creation: a record that was lost begins another life), end of window, calls
-- admitted in it, last use, whether it waits to be folded, then day (since 1970), requests and refusals of the newest day
-- and of the one before it.
local FORMAT = '<ddddddddddd'
local DAY_MS = 86400000
local KEEP_MS = 2 * DAY_MS

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local today = math.floor(now / DAY_MS)
local window_ms, mark_ms = tonumber(ARGV[1]), ARGV[2]
local known_era = ARGV[3]
local unfolded, era_key = KEYS[#KEYS - 1], KEYS[#KEYS]

local function present_era()
    local era = redis.call('GET', era_key)
    if era and era == known_era then return era end
    -- Whoever has just connected knows of none: after a restart that is every caller.
    local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
    if era and string.sub(era, 1, #run_id) == run_id then return era end
    era = run_id .. ':' .. time[1] .. '.' .. time[2]
    redis.call('SET', era_key, era)
    return era
end

local era = present_era()

local function is_live(mark, confirmed)
    local state = redis.call('GET', mark)
    if state == 'R' then return 2 end
    if confirmed and era == known_era then
        redis.call('SET', mark, era, 'PX', mark_ms)
        return 0
    end
    return state == era and 0 or 3
end

local function load(bucket)
    local packed = redis.call('GET', bucket)
    if not packed then return { now, 0, 0, 0, 0, today, 0, 0, 0, 0, 0 } end
    local record = { struct.unpack(FORMAT, packed) }
    if record[6] ~= today then
        record[9], record[10], record[11] = record[6], record[7], record[8]
        record[6], record[7], record[8] = today, 0, 0
    end
    return record
end

local function count(record, limit)
    -- A window that ends later than one begun now is from a clock that ran ahead: nobody shall wait for that.
    if now >= record[2] or record[2] > now + window_ms then record[2], record[3] = now + window_ms, 0 end
    if record[3] >= limit then
        record[8] = record[8] + 1
        return 1
    end
    record[3], record[4], record[7] = record[3] + 1, now, record[7] + 1
    return 0
end

local answer, records = {}, {}
for call = 1, #KEYS / 2 - 1 do
    local bucket, mark = KEYS[2 * call - 1], KEYS[2 * call]
    local limit, confirmed = tonumber(ARGV[2 * call + 2]), ARGV[2 * call + 3] == '1'
    local state = 0
    if mark ~= bucket then state = is_live(mark, confirmed) end
    local remaining, window_end = 0, now + window_ms
    if state == 0 then
        local record = records[bucket]
        if not record then
            record = load(bucket)
            record.tracked = mark ~= bucket
            records[bucket] = record
        end
        state = count(record, limit)
        remaining, window_end = math.max(limit - record[3], 0), record[2]
    end
    answer[#answer + 1] = state
    answer[#answer + 1] = remaining
    answer[#answer + 1] = window_end
end

for bucket, record in pairs(records) do
    if record.tracked and record[5] == 0 then
        redis.call('SADD', unfolded, bucket)
        record[5] = 1
    end
    local keep = record.tracked and KEEP_MS or record[2] - now
    redis.call('SET', bucket, struct.pack(FORMAT, unpack(record)), 'PX', math.max(keep, 1))
end

answer[#answer + 1] = now
answer[#answer + 1] = era
return answer
