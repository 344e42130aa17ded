import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { RATE_LIMITS } from '../../../proto/tiers.ts';
import { GATEWAYS, INTERNAL_SECRET } from '../support/client.ts';
import { aKey } from '../support/world.ts';

/** Runs an example as its first lines describe, and asserts that each line of its output matches `expected`. */
async function prints(file: string, settings: Record<string, string>, expected: readonly RegExp[]): Promise<void> {
    const env = { ...process.env, BASE_URL: GATEWAYS[0], ...settings };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [`client/examples/${file}`], { env });
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, expected.length, stdout + stderr);
    expected.forEach((line, index) => {
        assert.match(lines[index] ?? '', line);
    });
}

describe('the example of the client', () => {
    it('that issues a credential prints the expected lines', async () => {
        await prints('issue.ts', { API_KEY: await aKey() }, [
            /^made did:key:z6Mk/,
            /^issued urn:uuid:/,
            /^valid: true$/,
            /^403 forbidden: /,
            /^valid: false, The credential has been revoked\.$/,
            new RegExp(`^${RATE_LIMITS.enterprise - 7} of ${RATE_LIMITS.enterprise} calls left$`),
        ]);
    });

    it('that acts for an account prints the expected lines', async () => {
        await prints('on-behalf-of.ts', { INTERNAL_SECRET }, [
            /^registered [0-9a-f-]{36}$/,
            /^MembershipCredential, EducationCredential of 3$/,
            /^EmploymentCredential of 3$/,
        ]);
    });
});
