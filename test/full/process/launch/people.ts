import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './launch.ts';
import { statusOf } from './own-connection.ts';

const PASSWORD = 'correct horse battery staple';

/** The service has answered a registration with a status other than 201. */
class Refused extends Error {
    constructor(status: number | undefined) {
        super(`registration was answered with ${status}`);
    }
}

/** Registers people and logs them in over HTTP, to check which acknowledged writes a service still has. */
export function people(dataDir: string): {
    register(url: string): Promise<string>;
    canLogIn(url: string, email: string): Promise<boolean>;
    /** Registers people one by one until the service is gone. `acknowledged` has those that were answered 201. */
    registerUntilGone(url: string): { acknowledged: string[]; gone: Promise<void> };
} {
    async function post(url: string, action: string, email: string): Promise<number | undefined> {
        const secret = readFileSync(join(dataDir, 'internal-secret'), 'utf8').trim();
        const headers = { 'Content-Type': 'application/json', 'X-Internal-Secret': secret };
        const signal = AbortSignal.timeout(15_000);
        const options = { method: 'POST', headers, signal };
        return statusOf(`${url}/internal/v1/auth/${action}`, options, JSON.stringify({ email, password: PASSWORD }));
    }

    async function register(url: string): Promise<string> {
        const email = `${randomUUID()}@example.com`;
        const status = await post(url, 'register', email);
        if (status !== 201) throw new Refused(status);
        return email;
    }

    async function registerMany(url: string, acknowledged: string[]): Promise<void> {
        for (;;) {
            try {
                acknowledged.push(await register(url));
            } catch (error) {
                if (!(error instanceof Refused)) return; // the service is gone
            }
        }
    }

    return {
        register,
        canLogIn: (url, email) =>
            until('the login is decided', async () => {
                const status = await post(url, 'login', email);
                if (status === 503) return undefined; // overload, or a role that is restarting: try again
                assert.ok(status === 200 || status === 401, `login was answered with ${status}`);
                return { known: status === 200 };
            }).then(({ known }) => known),
        registerUntilGone: (url) => {
            const acknowledged: string[] = [];
            const gone = registerMany(url, acknowledged);
            return { acknowledged, gone };
        },
    };
}
