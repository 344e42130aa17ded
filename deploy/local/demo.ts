import './node-version.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `npm run demo`: the main job as a story, against a service that is running (BASE_URL, INTERNAL_SECRET or DATA_DIR). */

const base_url = process.env['BASE_URL'] ?? `http://127.0.0.1:${process.env['PORT'] ?? 8080}`;
const data_dir = process.env['DATA_DIR'] ?? '.data';
const color = process.stdout.isTTY;
const bold = (text: string): string => (color ? `\u001b[1m${text}\u001b[0m` : text);
const dim = (text: string): string => (color ? `\u001b[2m${text}\u001b[0m` : text);

function internalSecret(): string {
    const given = process.env['INTERNAL_SECRET'];
    if (given) return given;
    try {
        return readFileSync(join(data_dir, 'internal-secret'), 'utf8').trim();
    } catch {
        console.error(`No internal secret: set INTERNAL_SECRET, or DATA_DIR to the folder that the service runs on.`);
        process.exit(1);
    }
}

interface Step {
    /** What the request shows. */
    tells: string;
    method: string;
    path: string;
    token?: string;
    secret?: string;
    body?: Record<string, unknown>;
}

type Data = Record<string, unknown>;

let number = 0;

/** Sends one request and prints it with its answer; long values are cut in the middle. */
async function step({ tells, method, path, token, secret, body }: Step): Promise<Data> {
    console.log(`\n${bold(`${++number}. ${tells}`)}`);
    console.log(`   ${method} ${path}`);
    if (body) console.log(dim(`   ${show(body)}`));
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (token) headers['authorization'] = `Bearer ${token}`;
    if (secret) headers['x-internal-secret'] = secret;
    const answer = await fetch(base_url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const envelope = (await answer.json()) as { data?: Data; error?: string };
    const left = `${answer.headers.get('x-ratelimit-remaining')} of ${answer.headers.get('x-ratelimit-limit')} calls left`;
    console.log(`   → ${answer.status} (${left})`);
    console.log(dim(`   ${show(envelope)}`));
    return envelope.data ?? {};
}

function show(value: unknown): string {
    return JSON.stringify(value, (_name, part: unknown) =>
        typeof part === 'string' && part.length > 64 ? `${part.slice(0, 30)}…${part.slice(-12)}` : part,
    );
}

/** The same token with another last character. */
function tamper(token: string): string {
    return token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
}

async function story(): Promise<void> {
    const secret = internalSecret();
    const person = { email: `ada-${Date.now()}@example.com`, password: 'a long pass phrase' };
    await step({
        tells: 'A trusted caller registers an account; it starts in the free tier.',
        method: 'POST',
        path: '/internal/v1/auth/register',
        secret,
        body: { ...person, name: 'Ada' },
    });
    const session = await step({
        tells: 'Ada logs in: a session token for her, a refresh token for later.',
        method: 'POST',
        path: '/internal/v1/auth/login',
        body: person,
    });
    const key = await step({
        tells: 'She makes an API key for her program. Its secret is shown this once.',
        method: 'POST',
        path: '/v1/keys/generate',
        token: String(session['token']),
        body: { name: 'demo program' },
    });
    const token = String(key['api_key']);
    const issuer = await step({
        tells: 'The program makes a DID. The key pair is its own now: the service keeps the public half only.',
        method: 'POST',
        path: '/v1/did',
        token,
    });
    const issued = await step({
        tells: 'It issues a credential: a PASETO v4 public token, signed with the key of the DID.',
        method: 'POST',
        path: '/v1/credentials',
        token,
        body: {
            issuer_did: issuer['did'],
            issuer_private_key: issuer['private_key'],
            subject_did: 'did:web:grace.example',
            credential_type: 'EmploymentCredential',
            claims: { employer: 'Analytical Engines Ltd', role: 'engineer' },
        },
    });
    const credential = String(issued['credential']);
    const check = { credential, issuer_did: issuer['did'], check_revocation: true };
    const path = '/v1/credentials/verify';
    await step({ tells: 'Anybody with a key can verify it.', method: 'POST', path, token, body: check });
    await step({
        tells: 'The issuer revokes it, with a reason.',
        method: 'POST',
        path: `/v1/credentials/revoke/${issued['credential_id']}`,
        token,
        body: { issuer_did: issuer['did'], reason: 'left the company' },
    });
    await step({ tells: 'From now on it does not verify.', method: 'POST', path, token, body: check });
    await step({
        tells: 'Nor does a token in which one character was changed, revoked or not.',
        method: 'POST',
        path,
        token,
        body: { credential: tamper(credential), issuer_did: issuer['did'] },
    });
    await step({
        tells: "Ada's account has counted all of it.",
        method: 'GET',
        path: '/v1/me',
        token: String(session['token']),
    });
}

try {
    await story();
} catch (error) {
    const refused = Error.isError(error) && Error.isError(error.cause) && 'code' in error.cause;
    if (!refused) throw error;
    console.error(`No service answers at ${base_url}: start one with "npm start" in another terminal.`);
    process.exit(1);
}
