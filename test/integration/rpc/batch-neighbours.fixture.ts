import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../../platform/process/config.ts';
import { type ServiceRegistry, serviceRegistry } from '../../../platform/rpc/service-registry.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { SERVICE_DEFINITIONS, SERVICE_ROLES } from '../../../proto/services.ts';
import { ONE_PART } from '../../../services/credentials/parts/part-map.ts';
import { cryptoPools } from '../../../services/crypto-pools.ts';
import { idempotencies } from '../../../services/idempotency/idempotency.ts';
import { SERVICES } from '../../../services/index.ts';
import type { ServiceDependencies } from '../../../services/service.ts';
import { quiet, testDatabase, testRedis } from '../../support/harness.ts';
import { testLimiter, UNCOUNTED } from '../../support/test-redis.ts';
import { signingKey } from '../identity/identity.fixture.ts';

/** Builds all services in this process, and clients that reach them over the local transport. */
export async function startAll() {
    const [{ db }, redis] = [await testDatabase(), await testRedis()];
    const config = loadConfig({
        IDEMPOTENCY_PEPPER: 'the pepper of this test',
        KEK: randomBytes(32).toString('base64'),
        JWT_KEYS: signingKey(),
        SERVICE_TOKEN: 'the service token of this test',
        ARGON2_MEMORY_KIB: '8',
        ARGON2_PASSES: '1',
        SIGNATURE_THREADS: '1',
    });
    const metrics = createMetrics();
    const closing = new AsyncDisposableStack();
    const found: ServiceRegistry = serviceRegistry({
        localRoles: SERVICE_ROLES,
        addressOf: () => assert.fail('all services are in this process'),
        serviceToken: 'none is sent',
        tls: undefined,
        frames: true,
        log: quiet,
        metrics,
    });
    const dependencies: ServiceDependencies = {
        ...{ config, db, redis, log: quiet, metrics, clock: Date.now, serviceClient: found.serviceClient },
        databasesOf: () => [db],
        credentialParts: ONE_PART,
        addCheck: () => {},
        limiter: () => testLimiter({ redis, metrics }),
        requestCounts: () => UNCOUNTED,
        ...cryptoPools({ config, metrics, closing }),
        idempotency: idempotencies({ config, databasesOf: () => [db], metrics, clock: Date.now }),
    };
    found.offer(SERVICE_ROLES.flatMap((role) => SERVICES[role].build(dependencies)));
    return { closing, services: found.serviceClients(SERVICE_DEFINITIONS) };
}

/** The paths of all strings in a value. */
export function textsOf(value: unknown, path: string[] = []): string[][] {
    if (typeof value === 'string') return [path];
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
    return Object.entries(value).flatMap(([name, member]) => textsOf(member, [...path, name]));
}

/** A copy with another string at one path. */
export function spoilt(value: unknown, [name, ...rest]: string[], text: (before: string) => string): unknown {
    if (name === undefined) return text(String(value));
    // Arrays and objects are both changed by key.
    const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
    copy[name] = spoilt(copy[name], rest, text);
    return copy;
}

export const SPOILERS: Array<(text: string) => string> = [
    () => '\0',
    (text) => `${text}\0`,
    (text) => `\0${text}`,
    () => '\ud800',
    (text) => `${text}\udfff`,
    () => '',
    (text) => `${text}'`,
    (text) => text.repeat(200),
];
