import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { pickPort } from '../../../deploy/local/ports.ts';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { GATEWAYS, INTERNAL_SECRET } from '../support/client.ts';

const run = promisify(execFile);
const demo = (env: Record<string, string | undefined>) =>
    run(process.execPath, ['deploy/local/demo.ts'], { env: { ...process.env, ...env } });

describe('the demo', () => {
    it('prints each request, its answer and the number of calls left', async () => {
        const { stdout } = await demo({ BASE_URL: GATEWAYS[1], INTERNAL_SECRET });
        const lines = stdout.split('\n').map((line) => line.trim());
        assert.deepEqual(
            lines
                .filter((line) => /^(GET|POST) /.test(line))
                .map((line) => line.replace(/(urn:uuid:)?[0-9a-f-]{36}/, '…')),
            [
                'POST /internal/v1/auth/register',
                'POST /internal/v1/auth/login',
                'POST /v1/keys/generate',
                'POST /v1/issuers',
                'POST /v1/credentials',
                'POST /v1/credentials/verify',
                'POST /v1/credentials/revoke/…',
                'POST /v1/credentials/verify',
                'POST /v1/credentials/verify',
                'POST /v1/issuers/…/rotate',
                'GET /v1/me',
            ],
        );
        const answers = lines.filter((line) => line.startsWith('→'));
        assert.ok(answers.every((line) => /^→ 20[01] \(\d+ of \d+ calls left\)$/.test(line)));
        assert.ok(answers[3]?.includes(`(${RATE_LIMITS.free - 1} of ${RATE_LIMITS.free} calls left)`));
        const valid = lines.flatMap((line) => /"valid":(true|false)/.exec(line)?.[1] ?? []);
        assert.deepEqual(valid, ['true', 'false', 'false']);
    });

    it('says what to do if no service answers', async () => {
        const baseUrl = `http://127.0.0.1:${await pickPort()}`;
        const failed = await demo({ BASE_URL: baseUrl, INTERNAL_SECRET }).catch((error) => error);
        assert.equal(failed.code, 1);
        assert.equal(
            failed.stderr,
            `No service answers at ${baseUrl}: start one with "npm start" in another terminal.\n`,
        );
    });
});
