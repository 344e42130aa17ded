import { type Call, expectError, expectOk } from '../../test/e2e/support/client.ts';
import { payloadOf } from '../../test/e2e/support/world.ts';
import { keyOpener } from '../../test/support/issuers/opened-keys.ts';
import type { Canaries } from './canary.ts';
import { post, twice } from './posts.ts';

const AUDIENCE = 'did:web:verifier.example';

/** Makes every call of managed issuers: their keys are created, sign, are rotated, compromised and archived. */
export async function livedIssuers(caller: Partial<Call>, canaries: Canaries): Promise<void> {
    for (const method of ['key', 'web']) {
        const made = await twice(201, post('/v1/issuers', { name: 'Registrar', method }, caller), canaries);
        const { issuer_id, did, kid } = made;
        const claims = { role: canaries.text('claim of a managed issuer') };
        const item = { subject_did: 'did:web:subject.example', credential_type: 'EmploymentCredential', claims };
        const issue = post('/v1/credentials', { issuer_did: did, ...item }, caller);
        const { credential } = await twice(201, issue, canaries);
        const batch = { issuer_did: did, items: [item, item] };
        await twice(200, post('/v1/credentials/batch/issue', batch, caller), canaries);
        const presentation = { holder_did: did, credentials: [credential], audience: AUDIENCE };
        await twice(201, post('/v1/presentations', presentation, caller), canaries);
        await expectOk(200, post('/v1/credentials/verify', { credential, issuer_did: did }, caller));
        const privateKey = canaries.bytes('private key beside a managed issuer').toString('base64');
        await expectError(400, { ...issue, body: { issuer_did: did, ...item, issuer_private_key: privateKey } });
        if (method === 'web') await livedKeys({ issuer_id, kid, credential }, caller, canaries);
        await expectOk(200, { method: 'DELETE', path: `/v1/issuers/${issuer_id}`, ...caller });
        await expectError(409, issue);
    }
    await expectOk(200, { path: '/v1/issuers', ...caller });
}

async function livedKeys(
    { issuer_id, kid, credential }: { issuer_id: string; kid: string; credential: string },
    caller: Partial<Call>,
    canaries: Canaries,
): Promise<void> {
    const path = `/v1/issuers/${issuer_id}`;
    await twice(201, post(`${path}/rotate`, {}, caller), canaries);
    const reason = canaries.text('reason of a compromise', ['database']);
    await expectOk(200, post(`${path}/keys/${kid}/compromised`, { reason }, caller));
    const { iss } = payloadOf(credential);
    await expectOk(200, post('/v1/credentials/verify', { credential, issuer_did: iss }, caller));
}

/** Notes the seed of every issuer, and the data keys and the key-encryption key, which open it. */
export async function noteKeys(canaries: Canaries, env: Record<string, string>): Promise<void> {
    // test/support/service.ts gives both.
    const [databaseUrl, kek] = [env['E2E_DATABASE_URL'] as string, env['E2E_KEK'] as string];
    canaries.known('key-encryption key', Buffer.from(kek, 'base64'));
    const opener = await keyOpener({ databaseUrl, kek });
    try {
        const dataKeys = new Set<string>();
        for (const did of await opener.dids()) {
            for (const { kid, seed, dataKey } of await opener.keysOf(did)) {
                canaries.known(`seed of ${kid}`, seed);
                dataKeys.add(dataKey.toString('hex'));
            }
        }
        for (const hex of dataKeys) canaries.known('data key', Buffer.from(hex, 'hex'));
    } finally {
        await opener.close();
    }
}
