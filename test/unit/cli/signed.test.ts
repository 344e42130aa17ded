import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withSignedClaims } from '../../../cli/src/signed.ts';
import { jsonLine } from '../../../cli/src/terminal/text.ts';
import { signToken } from '../../../workers/crypto/paseto.ts';
import { party, sdJwt } from '../tokens/sd-jwts.ts';
import { newSigner, presentationToken } from '../verify/signed-lists.ts';
import { ran } from './worlds.ts';

const CLAIMS = '{"id": 12345678901234567890,\r\n\t"rate":1.0, "b":1e2,"2":"\\u001b\\n","1":0.1234567890123456789}';
const IN_ONE_LINE = CLAIMS.replace('\r\n\t', '   ');
const signer = newSigner();
const payload = JSON.stringify({
    typ: 'credential',
    jti: 'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057',
    iss: signer.did,
    sub: 'did:web:ada.example',
    credential_type: 'T',
    iat: '2026-01-01T00:00:00.000Z',
    claims: null,
}).replace('null', CLAIMS);
const credential = signToken(payload, signer.seed, signer.public_key);

describe('the claims of a credential that is valid', () => {
    it('are shown as they were signed, in one line', async () => {
        const shown = await ran(['verify', credential, '--offline']);
        assert.match(shown.stdout, /^valid\n/);
        assert.equal(/^claims {5}(.*)$/m.exec(shown.stdout)?.[1], IN_ONE_LINE);
        const json = await ran(['verify', credential, '--offline', '--json']);
        assert.ok(json.stdout.includes(`"claims":${IN_ONE_LINE}`), json.stdout);
        assert.equal(json.stdout.split('\n').length, 2);
        JSON.parse(json.stdout);
    });

    it('are shown as they were signed in a presentation, too', async () => {
        const presentation = presentationToken(signer, [credential, credential]);
        const args = ['verify-presentation', presentation, '--audience', 'did:web:verifier.example', '--no-nonce'];
        const { stdout } = await ran([...args, '--offline', '--json']);
        assert.equal(stdout.split(`"claims":${IN_ONE_LINE}`).length, 3, stdout);
        JSON.parse(stdout);
    });

    it('replace what JSON.parse has made of them in any verdict, and a verdict without claims gets none', () => {
        const parsed = { ok: true, claims: JSON.parse(CLAIMS) };
        assert.equal(jsonLine(withSignedClaims(parsed, credential)), `{"ok":true,"claims":${IN_ONE_LINE}}\n`);
        assert.deepEqual(withSignedClaims({ ok: false }, credential), { ok: false });
        for (const odd of [undefined, '', 'v4.public.', 'v4.public.AA']) {
            assert.equal(withSignedClaims(parsed, odd), parsed);
        }
    });

    it('of an SD-JWT are those that the verifier has read, with what its holder has disclosed', async () => {
        const claims = { claims: { role: 'engineer' }, level: 1 };
        const token = sdJwt({ issuer: party('ES256'), claims, disclosable: ['/claims'] });
        const { stdout } = await ran(['verify', token, '--offline']);
        assert.match(stdout, /^claims +\{"level":1,"claims":\{"role":"engineer"\}\}$/m);
        assert.match(stdout, /^disclosed +\/claims$/m);
    });
});
