import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { type Client, createClient } from '../../../../client/src/client.ts';
import { inherited } from '../../../support/members.ts';
import { startService } from '../../../support/service.ts';

/** A folder for the files of a test file. */
export const folder = mkdtempSync(join(tmpdir(), 'cred-'));
after(() => rmSync(folder, { recursive: true }));

export const PASSWORD = 'correct horse battery';

interface Ran {
    code: number | null;
    stdout: string;
    stderr: string;
}

/** What a run gets besides its arguments. */
interface Options {
    input?: string;
    env?: Record<string, string>;
    /** A file for standard output, instead of a pipe. */
    stdout?: number;
}

/** Starts the command line as a user does. It knows no settings of this process. */
export function started(args: readonly string[], { env = {}, stdout }: Options = {}): ChildProcess {
    const base = { ...inherited(), XDG_CONFIG_HOME: join(folder, 'config') };
    return spawn(process.execPath, ['cli/src/main.ts', ...args], {
        env: { ...base, ...env },
        stdio: ['pipe', stdout ?? 'pipe', 'pipe'],
    });
}

/** Runs the command line to its end. */
export async function cred(args: readonly string[], options: Options = {}): Promise<Ran> {
    return outcome(started(args, options), options.input);
}

export async function outcome(child: ChildProcess, input = ''): Promise<Ran> {
    const { stdin, stdout, stderr } = child;
    if (!stdin || !stdout || !stderr) throw new TypeError('The child has no pipes.');
    stdin.on('error', () => {}); // a program that does not read its input may end first
    stdin.end(input);
    const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'exit')]);
    return { code, stdout: out, stderr: err };
}

interface Bed {
    url: string;
    secret: string;
    databaseUrl: string;
    /** The certificate and the key of a receiver that the service trusts. */
    receiver: { cert: string; key: string };
    /** A client of a trusted caller. */
    admin: Client;
}

/** Starts a service for the test file. */
export async function serviceBed(settings: Record<string, string> = {}): Promise<Bed> {
    const service = await startService({
        transport: 'local',
        gateways: 1,
        // npm test sets all three
        adminUrl: process.env['TEST_ADMIN_URL'] as string,
        databaseUrl: process.env['TEST_DATABASE_URL'] as string,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        logDir: folder,
        settings,
    });
    after(() => service.stop());
    const { E2E_URLS: url = '', E2E_INTERNAL_SECRET: secret = '', E2E_DATABASE_URL: databaseUrl = '' } = service.env;
    const receiver = JSON.parse(service.env['E2E_RECEIVER'] as string);
    return { url, secret, databaseUrl, receiver, admin: createClient({ base_url: url, internal_secret: secret }) };
}

/** Runs a command that must succeed, and returns the JSON that it prints. */
// biome-ignore lint/suspicious/noExplicitAny: each command prints other fields, and the test reads them
export async function json(args: readonly string[], options: Options): Promise<Record<string, any>> {
    const { code, stdout, stderr } = await cred([...args, '--json'], options);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, args.join(' '));
    assert.match(stdout, /^[^\n]+\n$/);
    return JSON.parse(stdout);
}

/** A new account with an API key of a tier and a DID. */
export async function newIssuer({ admin }: Bed, tier: 'free' | 'enterprise' = 'enterprise') {
    const email = `u-${Math.random()}@example.com`;
    await admin.internal.auth.register({ email, password: PASSWORD });
    const { token } = await admin.internal.auth.login({ email, password: PASSWORD });
    const { api_key } = await admin.as({ token }).keys.generate({ name: 'key', tier });
    const { did, private_key = '' } = await admin.as({ token }).did.create();
    return { email, token, api_key, did, private_key };
}
