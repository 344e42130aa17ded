import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { ADDRESSES, SERVICE_TOKEN } from '../support/grpc.ts';

it('the documented example of a gRPC client prints the expected lines', async () => {
    const addresses = Object.entries(ADDRESSES).map(([role, address]) => [`${role.toUpperCase()}_ADDRESS`, address]);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['docs/examples/grpc-client.mjs'], {
        env: { ...process.env, ...Object.fromEntries(addresses), SERVICE_TOKEN },
    });
    const lines = stdout.trimEnd().split('\n');
    const expected = [
        /^registered [0-9a-f-]{36}$/,
        /^made did:key:z6Mk/,
        /^issued urn:uuid:/,
        /^valid: true$/,
        /^somebody else may not revoke it: PERMISSION_DENIED/,
        /^revoked \d{4}-/,
        /^valid: false$/,
    ];
    assert.equal(lines.length, expected.length, stdout + stderr);
    expected.forEach((line, index) => {
        assert.match(lines[index] ?? '', line);
    });
});
