import { z } from 'zod';
import { isClusterUrl } from './redis-cluster.ts';
import { isSentinelUrl, sentinelOptions } from './redis-sentinel.ts';

const FORMS = 'must be redis://…, redis-sentinel://host:port,host:port/master or redis-cluster://… (rediss… for TLS)';

/** Validates REDIS_URL when the program starts, not when it connects. */
export const redisUrlSetting = z
    .string()
    .superRefine((text, context) => {
        const message = faultIn(text);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .optional();

/** Says what is wrong with the URL, without a part of it. The drivers would ignore most of it. */
function faultIn(text: string): string | undefined {
    if (isSentinelUrl(text)) return sentinelOptions(text) ? undefined : FORMS;
    if (isClusterUrl(text)) {
        const faults = text.split(',').map((node) => (isClusterUrl(node) ? faultInNode(node, /^\/?$/) : FORMS));
        return faults.find((fault) => fault !== undefined);
    }
    return /^rediss?:/.test(text) ? faultInNode(text, /^(\/\d*)?$/) : FORMS;
}

function faultInNode(text: string, path: RegExp): string | undefined {
    if (!URL.canParse(text)) return FORMS;
    const { hostname, username, password, pathname, search, hash } = new URL(text);
    if (hostname === '') return 'must name a host';
    if (search !== '') return 'must have no parameters: write rediss://… for TLS';
    if (hash !== '') return 'must have no fragment; write # in a password as %23';
    if (!path.test(pathname)) return 'must end with the number of a database, such as /0; a cluster has only this one';
    return areEscaped(username, password) ? undefined : 'has a wrong %-escape';
}

function areEscaped(...texts: string[]): boolean {
    try {
        texts.map(decodeURIComponent);
        return true;
    } catch {
        return false;
    }
}
