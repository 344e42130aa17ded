-- Sets a version mark (limit.lua). It replaces neither a refused mark nor the mark of a later version, because commands
-- of two changes may arrive in another order than that in which they were committed.
--
-- KEYS     The liveness mark of a key.
-- ARGV     The version that the key is about to have; lifetime of a liveness mark (ms).
local state = redis.call('GET', KEYS[1])
if state == 'R' then return end
local known = state and string.match(state, '[S/](%d+)$') or 0
if tonumber(ARGV[1]) >= tonumber(known) then redis.call('SET', KEYS[1], 'S' .. ARGV[1], 'PX', ARGV[2]) end
