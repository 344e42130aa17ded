import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { newWalletKey } from '../../support/wallets/wallet-keys.ts';
import { GATEWAYS, send } from '../support/client.ts';
import { anOffer, codeOf } from './exchange-examples.ts';
import { athOf, dpopProof, identifierOf, redemption, refusedWith, seconds, tokenCall } from './wallet.ts';

/** Posts header fields that have several values, which fetch would join. Returns the status, the error and the challenge. */
async function sendRaw(path: string, headers: Record<string, string | string[]>, body: string) {
    const posted = request(`${GATEWAYS[0]}${path}`, { method: 'POST', headers, agent: false }).end(body);
    const [answer] = (await once(posted, 'response')) as [IncomingMessage];
    const { error } = (await json(answer)) as { error?: string };
    return [answer.statusCode, error, answer.headers['www-authenticate']];
}

describe('a token that is bound to a key', () => {
    const bound = async () => {
        const offered = await anOffer();
        const { issuer_id, offer_id } = offered;
        const key = newWalletKey();
        const url = `${identifierOf(issuer_id)}/token`;
        const form = redemption(await codeOf(offered));
        const use = (proof: string) => tokenCall(issuer_id, form, { headers: { dpop: proof } });
        return { issuer_id, offer_id, form, key, url, use };
    };

    it('is made for a proof of this request, which can be used once', async () => {
        const { key, url, use } = await bound();
        for (const proof of [
            'x',
            dpopProof(key, `${url}x`),
            dpopProof(key, url, { htm: 'GET' }),
            dpopProof(key, url, { iat: 1 }),
            dpopProof(key, url, { exp: seconds() - 1 }),
            dpopProof(key, url, { nbf: seconds() + 600 }),
            dpopProof(key, url, { jti: undefined }),
            dpopProof({ ...key, jwk: newWalletKey().jwk }, url),
            dpopProof({ ...newWalletKey('EdDSA'), jwk: newWalletKey('EdDSA').jwk }, url),
            dpopProof({ ...key, jwk: { ...key.jwk, d: 'AA' } }, url),
        ]) {
            assert.deepEqual(refusedWith(await use(proof)), [400, 'invalid_dpop_proof']);
        }
        const proof = dpopProof(key, url);
        const first = await use(proof);
        assert.equal(JSON.parse(first.text).token_type, 'DPoP', first.text);
        const other = await bound();
        assert.deepEqual(refusedWith(await other.use(dpopProof(other.key, url))), [400, 'invalid_dpop_proof']);
    });

    it('is made for a proof that spells the host in another way, but for no other URI', async () => {
        const { key, url, use } = await bound();
        const at = (origin: string) => url.replace('https://credentials.example', origin);
        for (const htu of [
            url.toUpperCase(),
            `${url}/`,
            url.replace('token', '%74oken'),
            url.replace('/token', '/./token'),
            ...['http://credentials.example', 'http://credentials.example:443', 'https://credentials.example:80'].map(
                at,
            ),
            ...['https://credentials.example:8443', 'https://credentials.example:443:443'].map(at),
            ...['https://credentials.example.', 'https://credentials.example.evil.example', 'https://evil.example'].map(
                at,
            ),
            ...['https://@credentials.example', 'https://a:b@credentials.example', 'https://credentials.example@'].map(
                at,
            ),
            ...['https:credentials.example', 'https:///credentials.example', 'https:\\\\credentials.example'].map(at),
            ...[' https://credentials.example', 'https://credentials\t.example', 'https://credentials.example\\'].map(
                at,
            ),
            ...['//credentials.example', ''].map(at),
        ]) {
            const refused = await use(dpopProof(key, htu));
            assert.deepEqual(refusedWith(refused), [400, 'invalid_dpop_proof'], htu);
        }
        for (const origin of ['HTTPS://Credentials.EXAMPLE:443', 'https://credentials.example:']) {
            const other = await bound();
            const htu = other.url.replace('https://credentials.example', origin);
            const answer = await other.use(dpopProof(other.key, `${htu}?a=/&b#c`));
            assert.equal(answer.status, 200, answer.text);
        }
    });

    it('is of no use without the key', async () => {
        const { issuer_id, offer_id, key, url, use } = await bound();
        const { access_token } = JSON.parse((await use(dpopProof(key, url))).text);
        const path = `/issuers/${issuer_id}/notification`;
        const there = `${identifierOf(issuer_id)}/notification`;
        const ath = athOf(access_token);
        const notify = (scheme: string, proof?: string) => {
            const headers = { authorization: `${scheme} ${access_token}`, ...(proof && { dpop: proof }) };
            const body = { notification_id: offer_id, event: 'credential_accepted' };
            return send({ method: 'POST', path, headers, body });
        };
        const unproven = await notify('Bearer');
        assert.deepEqual(refusedWith(unproven), [401, 'invalid_token']);
        const challenges = 'Bearer error="invalid_token", DPoP algs="ES256 EdDSA"';
        assert.equal(unproven.headers.get('www-authenticate'), challenges);
        assert.deepEqual(refusedWith(await notify('Bearer', dpopProof(key, there, { ath }))), [401, 'invalid_token']);
        const refused = await notify('DPoP', dpopProof(newWalletKey(), there, { ath }));
        assert.deepEqual(refusedWith(refused), [401, 'invalid_dpop_proof']);
        assert.match(refused.headers.get('www-authenticate') ?? '', /^DPoP error="invalid_dpop_proof"/);
        assert.deepEqual(refusedWith(await notify('DPoP', dpopProof(key, there))), [401, 'invalid_dpop_proof']);
        assert.equal((await notify('DPoP', dpopProof(key, there, { ath }))).status, 200);
    });

    it('is refused with two proofs, and is not made for them', async () => {
        const { issuer_id, offer_id, form, key, url, use } = await bound();
        const twice = (target: string, claims?: object) => [
            dpopProof(key, target, claims),
            dpopProof(key, target, claims),
        ];
        const token = { 'content-type': 'application/x-www-form-urlencoded', dpop: twice(url) };
        const path = `/issuers/${issuer_id}`;
        const text = new URLSearchParams(form).toString();
        assert.deepEqual(await sendRaw(`${path}/token`, token, text), [400, 'invalid_dpop_proof', undefined]);
        const { access_token } = JSON.parse((await use(dpopProof(key, url))).text);
        const there = twice(`${identifierOf(issuer_id)}/notification`, { ath: athOf(access_token) });
        const headers = { 'content-type': 'application/json', authorization: `DPoP ${access_token}`, dpop: there };
        const body = JSON.stringify({ notification_id: offer_id, event: 'credential_accepted' });
        const challenge = 'DPoP error="invalid_dpop_proof", algs="ES256 EdDSA"';
        const refused = [401, 'invalid_dpop_proof', challenge];
        assert.deepEqual(await sendRaw(`${path}/notification`, headers, body), refused);
    });
});
