import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { decodeQR } from 'qr/decode.js';
import { createClient } from '../../../../client/src/client.ts';
import { DARK, photographed } from '../../../unit/cli/pixels.ts';
import { ran } from '../../../unit/cli/worlds.ts';
import { cred, folder, json, newIssuer, serviceBed } from './cred.ts';

const bed = await serviceBed();
const { api_key: token } = await newIssuer(bed);
const env = { CRED_URL: bed.url, CRED_TOKEN: token };
const client = createClient({ base_url: bed.url });

const { issuer_id } = await json(['issuers', 'create', 'Club', '--method', 'web'], { env });
const VCT = 'https://club.example/membership';
const described = (id: string, more: object) => {
    const args = ['configurations', 'create', issuer_id, id, '--vct', VCT, '--more', '-'];
    return json(args, { env, input: JSON.stringify(more) });
};
await described('membership', {});
const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const offerArgs = (...more: string[]) => ['offer', '--issuer', issuer_id, '--configuration', 'membership', ...more];

describe('cred configurations', () => {
    it('describe what an issuer offers, until they are deleted', async () => {
        const more = { display: [{ name: 'Guest' }], max_keys: 2, proof_algs: ['ES256'] };
        const created = await described('guest', more);
        assert.partialDeepStrictEqual(created, { issuer_id, configuration_id: 'guest', vct: VCT, ...more });
        const list = ['configurations', 'list', issuer_id];
        assert.deepEqual((await json(list, { env }))['configurations'][0], created);
        assert.match((await cred(list, { env })).stdout, /^guest +https:\S+ +Guest +2 .*\nmembership /m);
        const gone = { issuer_id, configuration_id: 'guest' };
        assert.deepEqual(await json(['configurations', 'delete', issuer_id, 'guest'], { env }), gone);
        assert.equal((await json(list, { env }))['configurations'].length, 1);
    });

    it('need an object with what the service knows', async () => {
        const create = ['configurations', 'create', issuer_id, 'other', '--vct', VCT];
        assert.match((await cred([...create, '--more', '[]'], { env })).stderr, /--more must be a JSON object/);
        assert.match((await cred([...create, '--more', '{"max_keys":0}'], { env })).stderr, /max_keys must be/);
    });
});

describe('cred offer', () => {
    it('prints a link that a wallet redeems with the transaction code', async () => {
        const claims = join(folder, 'claims.json');
        writeFileSync(claims, '{"given_name":"Ada"}');
        const args = offerArgs('--claims', `@${claims}`, '--subject', 'did:web:ada.example', '--expires', '2030-01-01');
        const code = ['--tx-code', '8', '--tx-mode', 'text', '--tx-description', 'It is in the letter.'];
        const made = await json([...args, '--expires-in', '60', ...code], { env });
        assert.equal(Date.parse(made['expires_at']) - Date.parse(made['created_at']), 60_000);
        const { offer_id, offer_uri, tx_code } = made;
        assert.match(tx_code, /^[A-Z2-9]{8}$/);
        const secret = new URL(offer_uri).searchParams.get('credential_offer_uri')?.split('/').at(-1) ?? '';
        const { grants } = await client.exchange.offer({ issuer_id, secret });
        const { 'pre-authorized_code': preAuthorized, tx_code: asked } = grants[GRANT];
        assert.deepEqual(asked, { length: 8, input_mode: 'text', description: 'It is in the letter.' });
        assert.equal((await json(['offers', 'show', offer_id], { env }))['state'], 'open');
        await client.exchange.token({
            issuer_id,
            grant_type: GRANT,
            'pre-authorized_code': preAuthorized,
            tx_code,
        });
        assert.equal((await json(['offers', 'show', offer_id], { env }))['state'], 'redeemed');
        assert.match((await cred(['offers', 'list'], { env })).stdout, new RegExp(`^${offer_id} .* redeemed `, 'm'));
    });

    it('draws the link as a QR code at a terminal, and nowhere else', async () => {
        const args = offerArgs('--claims', '-', '--tx-code', '4');
        const input = '{"given_name":"Ada"}';
        const { code, stdout, stderr } = await ran(args, { input, env, isTTY: true });
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
        const [, link = '', below = ''] = /^offer_uri +(\S+)\ntx_code +\d{4}\n(.*)/ms.exec(stdout) ?? [];
        assert.equal(decodeQR(photographed(below, DARK), { timeLimit: Infinity }), link);

        const inPipe = await cred(args, { input, env });
        assert.match(inPipe.stdout, /^offer_id .*\nexpires_at .*\noffer_uri +openid-cred\S+\ntx_code +\d{4}\n$/);
        const asJson = await ran([...args, '--json'], { input, env, isTTY: true });
        assert.match(JSON.parse(asJson.stdout).offer_uri, /^openid-credential-offer:/);
    });

    it('makes an offer that can be deleted', async () => {
        const { offer_id } = await json(offerArgs('--claims', '{}'), { env });
        const { stdout } = await cred(['offers', 'show', offer_id], { env });
        assert.match(stdout, /^state +open\ncreated_at .*\nexpires_at .*\n$/m);
        assert.deepEqual(await json(['offers', 'delete', offer_id], { env }), { offer_id });
        const { code, stderr } = await cred(['offers', 'show', offer_id], { env });
        assert.equal(code, 3);
        assert.match(stderr, /This offer does not exist/);
    });

    it('refuses what it cannot use, and prints nothing', async () => {
        const refused = async (...more: string[]) => {
            const { stdout, stderr } = await cred(offerArgs(...more), { env });
            assert.equal(stdout, '');
            return stderr;
        };
        assert.match(await refused('--claims', '[]'), /--claims must be a JSON object/);
        assert.match(await refused('--claims', '{}', '--tx-mode', 'text'), /need --tx-code LENGTH/);
        assert.match(await refused('--claims', '{}', '--tx-code', '9'), /tx_code\.length must be a whole number/);
        assert.match(await refused('--claims', '{}', '--expires-in', 'soon'), /--expires-in must be a whole number/);
    });
});
