-- One statement, because nobody else uses usage.keys yet. Counts that programs of the previous release record from now
-- on are missing in it.
INSERT INTO usage.keys (key_id, account, last_used_at, day, requests_of_day, requests_of_month)
SELECT split_part(bucket, ':', 5)::uuid, account, max(last_used_at), newest,
       coalesce(sum(requests) FILTER (WHERE day = newest), 0)::bigint,
       coalesce(sum(requests) FILTER (WHERE date_trunc('month', day) = date_trunc('month', newest)), 0)::bigint
FROM (
    SELECT *, max(day) OVER (PARTITION BY bucket) AS newest FROM usage.requests WHERE split_part(bucket, ':', 4) = 'key'
) AS known
GROUP BY bucket, account, newest
HAVING max(last_used_at) IS NOT NULL;
