-- Decides a group of calls, each against the bucket it counts in and the liveness mark of the key or session it came with.
-- All keys carry one shard's tag. Time is Redis' own, so that every gateway sees the same window.
--
-- KEYS  for each call its bucket, its mark (the bucket again where there is none), and the set of its account's buckets that
--       are to be folded (the bucket again where nothing is kept); last: the set of those sets, and the era of this memory
-- ARGV  window length, mark lifetime (ms), the era that the caller knows of; then for each call its limit, and 'confirmed' if
--       its owner has just confirmed it, 'verified' if it is no call but a presentation that one has verified, else ''
-- gives for each call: state, remaining, end of window (ms since 1970); last: now (ms), the era
--       state: 0 admitted, 1 over the limit, 2 refused (revoked), 3 unconfirmed (ask the owner)
--
-- A flush, a restart or the promotion of a replica may lose a refused mark and keep what it stood against. Each of them
-- begins another era: a live mark names the era it was set in and is void in the next, and an owner's word counts only
-- from a caller that knew the present era when it asked. In a cluster an era also names its node: a command that is sent on
-- to a promoted replica comes from a caller that knows the era which the replica has copied, and has lost no connection.
--
-- A record is packed doubles: life (ms of its creation: a record that was lost begins another life), end of window, calls
-- admitted in it, last use, whether it waits to be folded; then day (since 1970), requests, refusals and verified
-- presentations of the day of its last use, and the same of the day of use before that.
local FORMAT = '<ddddddddddddd'
local WINDOW_END, ADMITTED, LAST_USE, UNFOLDED, DAY, REQUESTS, REFUSALS, VERIFIED = 2, 3, 4, 5, 6, 7, 8, 9
local DAY_FIELDS = 4
local DAY_MS = 86400000
-- limit-record.ts says how old a day in a record can be by this.
local KEEP_MS = 2 * DAY_MS

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local today = math.floor(now / DAY_MS)
local window_ms, mark_ms = tonumber(ARGV[1]), ARGV[2]
local known_era = ARGV[3]
local unfolded_accounts, era_key = KEYS[#KEYS - 1], KEYS[#KEYS]

local function present_era()
    local era = redis.call('GET', era_key)
    local node = era and string.match(era, '@(%w+)$')
    local is_of_here = not node or node == redis.call('CLUSTER', 'MYID')
    if era and is_of_here and era == known_era then return era end
    -- Whoever has just connected knows of none: after a restart that is every caller.
    local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
    if era and string.sub(era, 1, #run_id) == run_id then return era end
    era = run_id .. ':' .. time[1] .. '.' .. time[2]
    local own_id = redis.pcall('CLUSTER', 'MYID') -- an error where there is no cluster
    if type(own_id) == 'string' then era = era .. '@' .. own_id end
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
    if not packed then return { now, 0, 0, 0, 0, today, 0, 0, 0, 0, 0, 0, 0 } end
    local record = { struct.unpack(FORMAT, packed) }
    record[14] = nil -- where unpack has stopped reading
    if record[DAY] ~= today then
        -- A clock that was set back over midnight returns to a day that has counts already.
        local known_day = record[DAY + DAY_FIELDS] == today
        for field = DAY, VERIFIED do
            local other = field + DAY_FIELDS
            record[other], record[field] = record[field], known_day and record[other] or 0
        end
        record[DAY] = today
    end
    return record
end

local function count(record, limit)
    -- A window that ends later than one begun now is from a clock that ran ahead: nobody shall wait for that.
    if now >= record[WINDOW_END] or record[WINDOW_END] > now + window_ms then
        record[WINDOW_END], record[ADMITTED] = now + window_ms, 0
    end
    if record[ADMITTED] >= limit then
        record[REFUSALS] = record[REFUSALS] + 1
        return 1
    end
    record[ADMITTED], record[LAST_USE], record[REQUESTS] = record[ADMITTED] + 1, now, record[REQUESTS] + 1
    return 0
end

local answer, records, sets = {}, {}, {}
for call = 1, (#KEYS - 2) / 3 do
    local bucket, mark, unfolded = KEYS[3 * call - 2], KEYS[3 * call - 1], KEYS[3 * call]
    local limit, mode = tonumber(ARGV[2 * call + 2]), ARGV[2 * call + 3]
    local state = 0
    if mark ~= bucket then state = is_live(mark, mode == 'confirmed') end
    local remaining, window_end = 0, now + window_ms
    if state == 0 then
        local record = records[bucket] or load(bucket)
        records[bucket] = record
        if unfolded ~= bucket then sets[bucket] = unfolded end
        if mode == 'verified' then
            record[VERIFIED] = record[VERIFIED] + 1
        else
            state = count(record, limit)
            remaining, window_end = math.max(limit - record[ADMITTED], 0), record[WINDOW_END]
        end
    end
    answer[#answer + 1] = state
    answer[#answer + 1] = remaining
    answer[#answer + 1] = window_end
end

for bucket, record in pairs(records) do
    local unfolded = sets[bucket]
    if unfolded and record[UNFOLDED] == 0 then
        redis.call('SADD', unfolded, bucket)
        redis.call('SADD', unfolded_accounts, unfolded)
        record[UNFOLDED] = 1
    end
    local keep = unfolded and KEEP_MS or record[WINDOW_END] - now
    redis.call('SET', bucket, struct.pack(FORMAT, unpack(record)), 'PX', math.max(keep, 1))
end

answer[#answer + 1] = now
answer[#answer + 1] = era
return answer
