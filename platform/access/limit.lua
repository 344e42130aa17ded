-- Decides a batch of calls of one shard. Each call counts in a bucket and, if a key or session made it, needs a
-- liveness mark. All keys have the shard's hash tag. The script uses the clock of Redis, so that all gateways see the
-- same windows.
--
-- KEYS     For each call: its bucket; its liveness mark (the bucket again if it has none); the set of the account's
--          buckets that wait for the roll-up (the bucket again if the call is not recorded). Then the set of those
--          sets of the shard, and the key that holds the current epoch.
-- ARGV     Window length (ms); lifetime of a liveness mark (ms); the epoch that the caller knows. Then for each call:
--          its limit; 'confirmed' if the owning service has just confirmed the key or session, 'asked' if it has done
--          so since this call began, 'verified' if this counts a verified presentation instead of a call, '' otherwise;
--          its weight, which is the number of calls that it counts as; the version of the key that the caller knows.
-- Returns  For each call: state, remaining calls, end of the window (ms since 1970). Then the time (ms since 1970) and
--          the current epoch. States: 0 admitted, 1 over the limit, 2 refused (revoked), 3 unconfirmed (ask the owning
--          service).
--
-- Versions: every change of a key's restrictions gives the key the next version. A live mark is the name of the epoch
-- and, from version 1 on, '/' and the version; it is void for a caller that knows another version. A version mark is 'S'
-- and a version: the next confirmation must be of this version or a later one. A confirmation of an older version, which
-- was under way when the key changed, sets no mark. If its own call has asked for it, the call began before the change
-- was answered, and is counted by it. platform/access/version-mark.lua sets version marks.
--
-- Epochs: after a flush, a restart or the promotion of a replica, Redis may have lost a 'refused' mark and still have
-- the live mark that it replaced. Each of these events begins a new epoch. A live mark contains the epoch in which it
-- was set, and is void in any other epoch. A confirmation counts only if the caller already knew the current epoch
-- when it asked. In a cluster the epoch also names the node, because a promoted replica has copied the epoch of the
-- old node, and a redirected command comes from a caller that knows this epoch and has lost no connection.
--
-- A record holds packed doubles: generation (ms, time of its creation: a lost record starts a new generation), end of
-- the window, calls admitted in the window, last use, whether the record waits for the roll-up; then the day of the
-- last use (days since 1970) with its requests, refusals and verified presentations; then the same for the previous
-- day of use. platform/access/limit-record.ts reads this layout.
local FORMAT = '<ddddddddddddd'
local WINDOW_END, ADMITTED, LAST_USE, AWAITS_ROLL_UP, DAY, REQUESTS, REFUSALS, VERIFIED = 2, 3, 4, 5, 6, 7, 8, 9
local DAY_FIELDS = 4
local DAY_MS = 86400000
-- OLDEST_DAY in limit-record.ts follows from this.
local KEEP_MS = 2 * DAY_MS

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local today = math.floor(now / DAY_MS)
local window_ms, mark_ms = tonumber(ARGV[1]), ARGV[2]
local known_epoch = ARGV[3]
local accounts_awaiting, epoch_key = KEYS[#KEYS - 1], KEYS[#KEYS]

local function current_epoch()
    local epoch = redis.call('GET', epoch_key)
    local node = epoch and string.match(epoch, '@(%w+)$')
    local is_of_this_node = not node or node == redis.call('CLUSTER', 'MYID')
    if epoch and is_of_this_node and epoch == known_epoch then return epoch end
    -- A caller that has just connected knows no epoch. After a restart this is true of every caller.
    local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
    if epoch and string.sub(epoch, 1, #run_id) == run_id then return epoch end
    epoch = run_id .. ':' .. time[1] .. '.' .. time[2]
    local own_id = redis.pcall('CLUSTER', 'MYID') -- an error outside a cluster
    if type(own_id) == 'string' then epoch = epoch .. '@' .. own_id end
    redis.call('SET', epoch_key, epoch)
    return epoch
end

local epoch = current_epoch()

local function liveness(mark, mode, version)
    local state = redis.call('GET', mark)
    if state == 'R' then return 2 end
    local live = version == '0' and epoch or epoch .. '/' .. version
    if mode == '' or epoch ~= known_epoch then return state == live and 0 or 3 end
    local least = state and string.match(state, '[S/](%d+)$') or 0
    if tonumber(version) < tonumber(least) then return mode == 'asked' and 0 or 3 end
    redis.call('SET', mark, live, 'PX', mark_ms)
    return 0
end

local function load(bucket)
    local packed = redis.call('GET', bucket)
    if not packed then return { now, 0, 0, 0, 0, today, 0, 0, 0, 0, 0, 0, 0 } end
    local record = { struct.unpack(FORMAT, packed) }
    record[14] = nil -- unpack also returns the position at which it stopped
    if record[DAY] ~= today then
        -- If the clock was set back over midnight, the record already has counts of this day.
        local known_day = record[DAY + DAY_FIELDS] == today
        for field = DAY, VERIFIED do
            local other = field + DAY_FIELDS
            record[other], record[field] = record[field], known_day and record[other] or 0
        end
        record[DAY] = today
    end
    return record
end

local function count(record, limit, weight)
    -- A window that ends later than one that begins now was opened by a clock that ran ahead. Nobody must wait for it.
    if now >= record[WINDOW_END] or record[WINDOW_END] > now + window_ms then
        record[WINDOW_END], record[ADMITTED] = now + window_ms, 0
    end
    if record[ADMITTED] + weight > limit then
        record[REFUSALS] = record[REFUSALS] + 1
        return 1
    end
    record[ADMITTED], record[LAST_USE] = record[ADMITTED] + weight, now
    record[REQUESTS] = record[REQUESTS] + weight
    return 0
end

local answer, records, sets = {}, {}, {}
for call = 1, (#KEYS - 2) / 3 do
    local bucket, mark, buckets = KEYS[3 * call - 2], KEYS[3 * call - 1], KEYS[3 * call]
    local limit, mode = tonumber(ARGV[4 * call]), ARGV[4 * call + 1]
    local weight, version = tonumber(ARGV[4 * call + 2]), ARGV[4 * call + 3]
    local state = 0
    if mark ~= bucket then state = liveness(mark, mode, version) end
    local remaining, window_end = 0, now + window_ms
    if state == 0 then
        local record = records[bucket] or load(bucket)
        records[bucket] = record
        if buckets ~= bucket then sets[bucket] = buckets end
        if mode == 'verified' then
            record[VERIFIED] = record[VERIFIED] + 1
        else
            state = count(record, limit, weight)
            remaining, window_end = math.max(limit - record[ADMITTED], 0), record[WINDOW_END]
        end
    end
    answer[#answer + 1] = state
    answer[#answer + 1] = remaining
    answer[#answer + 1] = window_end
end

for bucket, record in pairs(records) do
    local buckets = sets[bucket]
    if buckets and record[AWAITS_ROLL_UP] == 0 then
        redis.call('SADD', buckets, bucket)
        redis.call('SADD', accounts_awaiting, buckets)
        record[AWAITS_ROLL_UP] = 1
    end
    local keep = buckets and KEEP_MS or record[WINDOW_END] - now
    redis.call('SET', bucket, struct.pack(FORMAT, unpack(record)), 'PX', math.max(keep, 1))
end

answer[#answer + 1] = now
answer[#answer + 1] = epoch
return answer
