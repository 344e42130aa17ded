-- Decides a batch of calls of one shard. Each call counts in the window of a bucket and, if a key or session made it,
-- needs a liveness mark. All keys have the shard's hash tag. The script uses the clock of Redis, so that all gateways
-- see the same windows.
--
-- KEYS     For each call: its bucket; its liveness mark (the bucket again if it has none). Then the key that holds the
--          current epoch.
-- ARGV     Window length (ms); lifetime of a liveness mark (ms); the epoch that the caller knows. Then for each call:
--          its limit; 'confirmed' if the owning service has just confirmed the key or session, 'asked' if it has done
--          so since this call began, '' otherwise; its weight, which is the number of calls that it counts as (0 looks
--          without counting, and a negative weight gives back); the version of the key that the caller knows.
-- Returns  For each call: state, remaining calls, end of the window (ms since 1970). Then the time (ms since 1970) and
--          the current epoch. States: 0 admitted, 1 over the limit, 2 refused (the mark is 'R': revoked), 3
--          unconfirmed (ask the owning service).
--
-- Versions: every change of a key's restrictions gives the key the next version. A live mark is the name of the epoch
-- and, from version 1 on, '/' and the version; it is void for a caller that knows another version. A version mark is
-- 'S' (superseded) and a version: the next confirmation must be of this version or a later one. A confirmation of an
-- older version, which was under way when the key changed, sets no mark. If its own call has asked for it, the call
-- began before the change was answered, and is counted by it. platform/access/version-mark.lua sets version marks.
--
-- Epochs: after a flush, a restart or the promotion of a replica, Redis may have lost a 'refused' mark and still have
-- the live mark that it replaced. Each of these events begins a new epoch. A live mark contains the epoch in which it
-- was set, and is void in any other epoch. A confirmation counts only if the caller already knew the current epoch
-- when it asked. In a cluster the epoch also names the node, because a promoted replica has copied the epoch of the
-- old node, and a redirected command comes from a caller that knows this epoch and has lost no connection.
--
-- A window is stored as two doubles, its end (ms since 1970) and the calls that it has admitted, and expires at its
-- end.
local FORMAT = '<dd'
local WINDOW_END, ADMITTED = 1, 2

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local window_ms, mark_ms = tonumber(ARGV[1]), ARGV[2]
local known_epoch = ARGV[3]
local epoch_key = KEYS[#KEYS]

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

-- The state of a call before its limit is looked at. `mode` says whether the owning service has confirmed the caller.
-- If it has not, or if this epoch has begun since, only a live mark of the caller's version admits the call. `least` is
-- the version that the mark names: a confirmation of an older one sets no mark.
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

local windows, changed = {}, {}

-- The window of the bucket. If none is open, one that begins now.
local function window_of(bucket)
    if windows[bucket] then return windows[bucket] end
    local window = { now + window_ms, 0 }
    local packed = redis.call('GET', bucket)
    if packed then
        local window_end, admitted = struct.unpack(FORMAT, packed)
        -- A window that ends later than the new one was opened by a clock that ran ahead. Nobody must wait for it.
        if window_end > now and window_end <= window[WINDOW_END] then window = { window_end, admitted } end
    end
    windows[bucket] = window
    return window
end

local function count(bucket, window, limit, weight)
    if weight > 0 and window[ADMITTED] + weight > limit then return 1 end
    local admitted = math.max(window[ADMITTED] + weight, 0)
    if admitted ~= window[ADMITTED] then changed[bucket] = window end
    window[ADMITTED] = admitted
    return 0
end

local answer = {}
for call = 1, (#KEYS - 1) / 2 do
    local bucket, mark = KEYS[2 * call - 1], KEYS[2 * call]
    local limit, mode = tonumber(ARGV[4 * call]), ARGV[4 * call + 1]
    local weight, version = tonumber(ARGV[4 * call + 2]), ARGV[4 * call + 3]
    local state = 0
    if mark ~= bucket then state = liveness(mark, mode, version) end
    local remaining, window_end = 0, now + window_ms
    if state == 0 then
        local window = window_of(bucket)
        state = count(bucket, window, limit, weight)
        remaining, window_end = math.max(limit - window[ADMITTED], 0), window[WINDOW_END]
    end
    answer[#answer + 1] = state
    answer[#answer + 1] = remaining
    answer[#answer + 1] = window_end
end

for bucket, window in pairs(changed) do
    redis.call('SET', bucket, struct.pack(FORMAT, unpack(window)), 'PX', window[WINDOW_END] - now)
end

answer[#answer + 1] = now
answer[#answer + 1] = epoch
return answer
