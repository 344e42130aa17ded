import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createClient } from '../../../client/src/client.ts';
import { cpuMs } from '../cpu-time.ts';
import { scriptedServer, success } from './scripted-server.ts';

const SECRETS = { token: 'a-token', internal_secret: 'a-secret', on_behalf_of: 'ada', client_address: '192.0.2.1' };

test('inputs go into the path, the query and the body', async (t) => {
    const { base_url, received } = await scriptedServer(t, [success({})]);
    const client = createClient({ base_url: `${base_url}/behind/`, token: 'a-token' });
    await client.credentials.revoke({ credential_id: 'urn:uuid:1', issuer_did: 'did:key:z', reason: 'left' });
    await client.credentials.byIssuer({ issuer_did: 'did:web:a/b', limit: 5 });
    await client.did.create();
    const [revoke, list, create] = received;
    assert.deepEqual([revoke?.method, revoke?.url], ['POST', '/behind/v1/credentials/revoke/urn%3Auuid%3A1']);
    assert.deepEqual(JSON.parse(revoke?.body ?? ''), { issuer_did: 'did:key:z', reason: 'left' });
    assert.equal(revoke?.headers['content-type'], 'application/json');
    assert.equal(list?.url, '/behind/v1/credentials/by-issuer/did%3Aweb%3Aa%2Fb?limit=5');
    assert.equal(list?.body, '');
    assert.equal(create?.body, '{}');
});

test('an input that is missing, empty or dots is refused, and no other input changes the path', async (t) => {
    const { base_url, received } = await scriptedServer(t, [success({})]);
    const client = createClient({ base_url });
    for (const keyId of ['', '.', '..']) await assert.rejects(client.keys.get({ key_id: keyId }), TypeError);
    await assert.rejects(client.keys.revoke({} as { key_id: string }), TypeError); // an untyped caller can do this
    assert.equal(received.length, 0);
    for (const keyId of ['...', '../me', '%2e%2e', '?a', '#']) await client.keys.get({ key_id: keyId });
    assert.deepEqual(
        received.map(({ url }) => url),
        ['...', '..%2Fme', '%252e%252e', '%3Fa', '%23'].map((segment) => `/v1/keys/${segment}`),
    );
});

test('credentials are sent only with operations that need them', async (t) => {
    const { base_url, received } = await scriptedServer(t, [success({})]);
    const client = createClient({ base_url, ...SECRETS });
    await client.me.get({ request_id: 'my-id' });
    await client.internal.did.create();
    await client.internal.auth.me();
    await client.internal.auth.login({ email: 'ada@example.com', password: 'x' });
    await client.internal.health();
    const sent = received.map(({ headers }) => [
        headers.authorization,
        headers['x-internal-secret'],
        headers['x-on-behalf-of'],
        headers['x-client-address'],
        headers['x-request-id'],
    ]);
    const trusted = ['a-secret', 'ada', '192.0.2.1', undefined];
    assert.deepEqual(sent, [
        ['Bearer a-token', undefined, undefined, undefined, 'my-id'],
        [undefined, ...trusted],
        ['Bearer a-token', ...trusted],
        [undefined, ...trusted],
        [undefined, undefined, undefined, undefined, undefined],
    ]);
});

test('a client with other credentials is a new client, and the first client stays unchanged', async (t) => {
    const { base_url, received } = await scriptedServer(t, [success({})]);
    const client = createClient({ base_url, ...SECRETS });
    const other = client.as({ token: 'another', on_behalf_of: undefined });
    await other.me.get();
    await other.internal.did.create();
    await client.me.get();
    assert.deepEqual(
        received.map(({ headers }) => headers.authorization),
        ['Bearer another', undefined, 'Bearer a-token'],
    );
    assert.equal(received[1]?.headers['x-internal-secret'], 'a-secret');
    assert.equal(received[1]?.headers['x-on-behalf-of'], undefined);
});

test("a wallet's password is sent in a header as UTF-8, and in the URL only if a header would alter it", async (t) => {
    const { base_url, received } = await scriptedServer(t, [success({})]);
    const client = createClient({ base_url });
    for (const password of ['Öffne dich 😀', ' a blank first', 'two\nlines', '']) {
        await client.wallets.listCredentials({ wallet_id: 'w', password });
    }
    await client.wallets.deleteCredential({ wallet_id: 'w', credential_id: 'c', password: ' any' });
    const sent = received.map(({ headers, url }) => [
        Buffer.from(String(headers['x-wallet-password'] ?? ''), 'latin1').toString('utf8'),
        url?.split('?')[1],
    ]);
    assert.deepEqual(sent, [
        ['Öffne dich 😀', undefined],
        ['', 'password=+a+blank+first'],
        ['', 'password=two%0Alines'],
        ['', 'password='],
        ['', undefined],
    ]);
    assert.equal(received.at(-1)?.body, '{"password":" any"}');
});

test('a secret that no header can carry is refused, and the error does not contain it', async (t) => {
    const { base_url, received } = await scriptedServer(t, [success({})]);
    for (const token of ['very secret\n', '', ' very secret']) {
        const error = await createClient({ base_url, token })
            .me.get()
            .catch((thrown: Error) => thrown);
        assert.ok(error instanceof TypeError);
        assert.doesNotMatch(`${error.message} ${error.stack} ${error.cause}`, /very secret/);
    }
    assert.equal(received.length, 0);
});

test('a base_url that no request can use is refused at once, and the error does not contain its secret', () => {
    for (const baseUrl of [
        'ftp://127.0.0.1',
        'file:///etc',
        'http://ada:secret@127.0.0.1',
        'http://ada:secret@127.0.0.1:port',
        'http://127.0.0.1?key=secret',
        'http://127.0.0.1/#secret',
        'http://127.0.0.1/?',
        'http://127.0.0.1/#',
        '/secret',
        '',
    ]) {
        assert.throws(
            () => createClient({ base_url: baseUrl }),
            (error: unknown) => error instanceof TypeError && !inspect(error).includes('secret'),
            baseUrl,
        );
    }
});

test('a base_url and a header of 128 Ki characters are read in linear time', async (t) => {
    const start = cpuMs();
    const slashes = '/'.repeat(1 << 17);
    createClient({ base_url: `http://127.0.0.1${slashes}x` });
    const { base_url, received } = await scriptedServer(t, [success({})]);
    await createClient({ base_url: `${base_url}/a${slashes}` }).me.get();
    assert.equal(received[0]?.url, '/a/v1/me');
    await assert.rejects(createClient({ base_url, token: `${'x'.repeat(1 << 18)}\n` }).me.get(), TypeError);
    assert.ok(cpuMs() - start < 2_000);
});
