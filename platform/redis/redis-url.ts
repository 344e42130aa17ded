import { z } from 'zod';
import { isClusterUrl } from './redis-cluster.ts';
import { isSentinelUrl, sentinelOptions } from './redis-sentinel.ts';

const FORMS = 'must be redis://…, redis-sentinel://host:port,host:port/master or redis-cluster://… (rediss… for TLS)';

/** Validates REDIS_URL when the program starts, not when it connects. */
export const redisUrlSetting = z.string().refine(isRedisUrl, { error: FORMS }).optional();

function isRedisUrl(text: string): boolean {
    if (isSentinelUrl(text)) return sentinelOptions(text) !== undefined;
    if (isClusterUrl(text)) return text.split(',').every((node) => isClusterUrl(node) && URL.canParse(node));
    return /^rediss?:\/\//.test(text) && URL.canParse(text);
}
