import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after } from 'node:test';
import { inspect } from 'node:util';
import { AppError } from '../../../../../platform/errors.ts';
import { newKey, sealAs, unsealAs } from '../../../../../workers/crypto/seal.ts';

/** The data key that the tests wrap. */
export const DATA_KEY = newKey();
export const ACCOUNT = '01a1faed-b50a-7000-8f70-7b9d71ab9b89';
export const OTHER = '01a1faed-b50a-7000-8f70-7b9d71ab9b8a';

/** How a fake answers. A number is the status of an error. */
type Mood = 'well' | 'silent' | 'cut off' | 'huge' | 'elsewhere' | 'nonsense' | number;

interface Fake {
    url: string;
    mood: Mood;
    /** The headers and bodies of all requests. */
    requests: Array<{ path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }>;
    /** The only token that Vault accepts. */
    token: string;
    /** The key-encryption key. */
    key: Buffer;
    stop(): Promise<void>;
}

type Reply = (request: Fake['requests'][number], fake: Fake) => { status: number; body: unknown };

/** Starts a provider on the loopback interface, which answers in its mood. */
async function startFake(reply: Reply): Promise<Fake> {
    const server = createServer(async (request, response) => {
        const seen = { path: request.url ?? '', headers: request.headers, body: await json(request) };
        fake.requests.push(seen as Fake['requests'][number]);
        answer(fake, response, () => reply(seen as Fake['requests'][number], fake));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const stop = async () => {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
    };
    const fake: Fake = {
        url: `http://127.0.0.1:${port}`,
        mood: 'well',
        requests: [],
        token: 's.first',
        key: newKey(),
        stop,
    };
    after(stop);
    return fake;
}

function answer({ mood, url }: Fake, response: ServerResponse, reply: () => ReturnType<Reply>): void {
    const send = (status: number, body: string): void => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    };
    if (mood === 'silent') return;
    if (mood === 'cut off') response.destroy();
    else if (mood === 'huge') response.writeHead(200).end(`{"data":{"plaintext":"${'A'.repeat(4 << 20)}"}}`);
    else if (mood === 'elsewhere') response.writeHead(307, { Location: `${url}/elsewhere` }).end();
    else if (mood === 'nonsense') send(200, '<html>');
    else if (typeof mood === 'number') send(mood, '{"errors":["the secret of the provider"]}');
    else {
        const { status, body } = reply();
        send(status, JSON.stringify(body));
    }
}

/** The transit engine of Vault at `/v1/transit`, with the key `kek`. */
export function startVault(): Promise<Fake> {
    return startFake(({ path, headers, body }, { token, key }) => {
        if (headers['x-vault-token'] !== token) return { status: 403, body: { errors: ['permission denied'] } };
        const associated = Buffer.from(String(body['associated_data']), 'base64');
        if (path === '/v1/transit/encrypt/kek') {
            const sealed = sealAs(Buffer.from(String(body['plaintext']), 'base64'), key, associated);
            return {
                status: 200,
                body: { data: { ciphertext: `vault:v1:${sealed.toString('base64')}`, key_version: 1 } },
            };
        }
        assert.equal(path, '/v1/transit/decrypt/kek');
        const [, sealed = ''] = /^vault:v1:(.*)$/.exec(String(body['ciphertext'])) ?? [];
        const plain = unsealAs(Buffer.from(sealed, 'base64'), key, associated);
        if (!plain) return { status: 400, body: { errors: ['cipher: message authentication failed'] } };
        return { status: 200, body: { data: { plaintext: plain.toString('base64') } } };
    });
}

/** AWS KMS, as far as Encrypt and Decrypt of its AWS JSON 1.1 protocol, with the key `arn`. */
export function startKms(arn: string): Promise<Fake> {
    return startFake(({ headers, body }, { key }) => {
        assert.equal(headers['content-type'], 'application/x-amz-json-1.1');
        assert.match(headers.authorization ?? '', /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/eu-central-1\/kms\//);
        const associated = Buffer.from(JSON.stringify(body['EncryptionContext']));
        if (body['KeyId'] !== arn) return { status: 400, body: { __type: 'NotFoundException' } };
        if (headers['x-amz-target'] === 'TrentService.Encrypt') {
            const sealed = sealAs(Buffer.from(String(body['Plaintext']), 'base64'), key, associated);
            return { status: 200, body: { KeyId: arn, CiphertextBlob: sealed.toString('base64') } };
        }
        assert.equal(headers['x-amz-target'], 'TrentService.Decrypt');
        const plain = unsealAs(Buffer.from(String(body['CiphertextBlob']), 'base64'), key, associated);
        if (!plain) return { status: 400, body: { __type: 'InvalidCiphertextException' } };
        return { status: 200, body: { KeyId: arn, Plaintext: plain.toString('base64') } };
    });
}

/**
 * Expects `unavailable` with a time to wait. Neither its text, which callers read, nor its cause, which is only logged,
 * shows a host, a token, a data key, or what the provider has answered.
 */
export function unavailable(reason: string, cause: RegExp): (error: unknown) => true {
    return (error) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual([error.kind, error.retry_after, error.reason], ['unavailable', 5, reason]);
        assert.equal(error.detail, 'The keys of managed issuers cannot be used now. Try again shortly.');
        assert.match((error.cause as Error).message, cause);
        const shown = inspect(error, { depth: null });
        assert.doesNotMatch(shown, /secret|127\.0\.0\.1|s\.first|s\.second/);
        for (const form of ['hex', 'base64'] as const) assert.ok(!shown.includes(DATA_KEY.toString(form)));
        return true;
    };
}

/** Expects an internal error whose cause, which is only logged, matches. */
export function unreadable(cause: RegExp): (error: unknown) => true {
    return (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.kind, 'internal');
        assert.equal(error.detail, 'A data key cannot be unwrapped.');
        assert.match((error.cause as Error).message, cause);
        return true;
    };
}
