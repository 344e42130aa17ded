import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../support/service.ts';

/**
 * Whether the attacks have their full size, as in `npm run proof -- attack`. `npm run test:full` runs a small part of
 * each.
 */
export const IS_WHOLE = process.env['ATTACK'] === 'whole';

export interface Target {
    /** The gateway that is attacked. */
    url: string;
    host: string;
    port: number;
    /** Its operations port, host:port. */
    ops: string;
    /** Its gRPC port, host:port. */
    grpc: string;
    internal_secret: string;
    /** Credentials of a caller that has an account. */
    caller: { token: string; api_key: string; did: string; private_key: string };
    stop(): Promise<void>;
}

/** Starts a service for the calling test file alone, with all roles in one process and the usual settings. */
export async function startTarget(settings: Record<string, string> = {}): Promise<Target> {
    const logDir = mkdtempSync(join(tmpdir(), 'attack-'));
    const given = (name: string): string => {
        const value = process.env[name];
        if (!value) throw new Error(`${name} is not set: run this file with "npm test -- <file>".`);
        return value;
    };
    const service = await startService({
        transport: 'local',
        gateways: 1,
        adminUrl: given('TEST_ADMIN_URL'),
        databaseUrl: given('TEST_DATABASE_URL'),
        redisUrl: given('TEST_REDIS_URL'),
        logDir,
        settings,
    });
    Object.assign(process.env, service.env); // the helpers of the end-to-end tests find the service in it
    const { newAccount, newDid, newKey } = await import('../../e2e/support/world.ts');
    const account = await newAccount();
    const { api_key } = await newKey(account);
    const { did, private_key } = await newDid(api_key);
    const [url = ''] = (service.env['E2E_URLS'] ?? '').split(',');
    const { hostname: host, port } = new URL(url);
    const grpc = JSON.parse(service.env['E2E_GRPC'] ?? '{}') as Record<string, string>; // by role
    return {
        url,
        host,
        port: Number(port),
        ops: service.ops[0]?.target ?? '',
        grpc: grpc['identity'] ?? '',
        internal_secret: service.env['E2E_INTERNAL_SECRET'] ?? '',
        caller: { token: account.token, api_key, did, private_key },
        async stop() {
            await service.stop();
            rmSync(logDir, { recursive: true, force: true });
        },
    };
}
