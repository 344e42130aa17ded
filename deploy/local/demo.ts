import './node-version.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConnectionError, createClient } from '../../client/src/client.ts';

/**
 * `npm run demo`: shows the main calls of the service step by step. It needs a running service: BASE_URL names it, and
 * INTERNAL_SECRET or DATA_DIR provides the internal secret.
 */

const baseUrl = process.env['BASE_URL'] ?? `http://127.0.0.1:${process.env['PORT'] ?? 8080}`;
const dataDir = process.env['DATA_DIR'] ?? '.data';
const color = process.stdout.isTTY;
const bold = (text: string): string => (color ? `\u001b[1m${text}\u001b[0m` : text);
const dim = (text: string): string => (color ? `\u001b[2m${text}\u001b[0m` : text);

function internalSecret(): string {
    const given = process.env['INTERNAL_SECRET'];
    if (given) return given;
    try {
        return readFileSync(join(dataDir, 'internal-secret'), 'utf8').trim();
    } catch {
        console.error(`No internal secret: set INTERNAL_SECRET, or DATA_DIR to the folder that the service runs on.`);
        process.exit(1);
    }
}

/** Calls `fetch` and prints the request and the answer. Long values are shortened in the middle. */
async function printing(url: string, init: RequestInit): Promise<Response> {
    console.log(`   ${init.method} ${decodeURIComponent(new URL(url).pathname)}`);
    if (typeof init.body === 'string') console.log(dim(`   ${show(JSON.parse(init.body))}`));
    const answer = await fetch(url, init);
    const left = `${answer.headers.get('x-ratelimit-remaining')} of ${answer.headers.get('x-ratelimit-limit')} calls left`;
    console.log(`   → ${answer.status} (${left})`);
    console.log(dim(`   ${show(await answer.clone().json())}`));
    return answer;
}

function show(value: unknown): string {
    return JSON.stringify(value, (_name, part: unknown) =>
        typeof part === 'string' && part.length > 64 ? `${part.slice(0, 30)}…${part.slice(-12)}` : part,
    );
}

let number = 0;

/** Prints the heading of the next step. */
function tell(what: string): void {
    console.log(`\n${bold(`${++number}. ${what}`)}`);
}

/** The same token with a different last character. */
function tamper(token: string): string {
    return token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
}

/** Gives Ada a session, and her program an API key. */
async function beginning() {
    const anybody = createClient({ base_url: baseUrl, fetch: printing, tries: 1 });
    const person = { email: `ada-${Date.now()}@example.com`, password: 'a long pass phrase' };
    tell('A trusted caller registers an account. The account starts in the free tier.');
    await anybody.as({ internal_secret: internalSecret() }).internal.auth.register({ ...person, name: 'Ada' });

    tell('Ada logs in. She gets a session token, and a refresh token for later.');
    const { token } = await anybody.internal.auth.login(person);
    const ada = anybody.as({ token });

    tell('She creates an API key for her program. Only this answer shows the key.');
    const { api_key } = await ada.keys.generate({ name: 'demo program' });
    return { ada, program: anybody.as({ token: api_key }) };
}

async function story(): Promise<void> {
    const { ada, program } = await beginning();

    tell('The program creates an issuer. The service makes its signing key and keeps it.');
    const { issuer_id, did } = await program.issuers.create({ name: 'Registrar', method: 'web' });

    tell('It issues a credential: a PASETO v4 public token. No request has a private key.');
    const { credential_id, credential } = await program.credentials.issue({
        issuer_did: did,
        subject_did: 'did:web:grace.example',
        credential_type: 'EmploymentCredential',
        claims: { employer: 'Analytical Engines Ltd', role: 'engineer' },
    });

    tell('Any caller with an API key can verify it.');
    await program.credentials.verify({ credential, issuer_did: did, check_revocation: true });

    tell('The issuer revokes it, with a reason.');
    await program.credentials.revoke({ credential_id, issuer_did: did, reason: 'left the company' });

    tell('From now on the credential is invalid.');
    await program.credentials.verify({ credential, issuer_did: did, check_revocation: true });

    tell('A token with one changed character is invalid too.');
    await program.credentials.verify({ credential: tamper(credential), issuer_did: did });

    tell('The issuer gets a new key. The answer takes a second: then no process signs with the old key any more.');
    await program.issuers.rotate({ issuer_id });

    tell("Ada's account counts what her program has created.");
    await ada.me.get();
}

try {
    await story();
} catch (error) {
    if (!(error instanceof ConnectionError && error.never_sent)) throw error;
    console.error(`No service answers at ${baseUrl}: start one with "npm start" in another terminal.`);
    process.exit(1);
}
