import { type Call, expectOk } from './client.ts';
import { issue, newAccount, newDid, newKey } from './world.ts';

export const AUDIENCE = 'did:web:verifier.example';

/** Creates an account with an API key and three DIDs: an issuer with one issued credential, a holder, and another. */
export async function presenting() {
    const account = await newAccount();
    const { api_key: token } = await newKey(account);
    const issuer = await newDid(token);
    const holder = await newDid(token);
    const other = await newDid(token);
    const one = await issue(token, issuer);
    const check = (body: unknown): Call => ({ method: 'POST', path: '/v1/presentations/verify', token, body });
    const verify = (presentation: string, more: object = {}) =>
        expectOk(200, check({ presentation, audience: AUDIENCE, ...more }));
    return { account, token, issuer, holder, other, one, check, verify };
}

/** Returns the token with one changed character in its payload. */
export function tampered(text: string): string {
    const at = text.length - 120;
    return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
}
