import { JsonError, JsonText, parseJson } from '../../platform/json.ts';

/**
 * The payload of a v4.public token or an SD-JWT, with the member `claims` as the text that was signed. An empty one if the
 * token has none. Nothing here says that the signature is good.
 */
export function payloadOf(token: string): Record<string, unknown> {
    try {
        const text = isSdJwt(token)
            ? Buffer.from(token.split('.', 2)[1] ?? '', 'base64url').toString('utf8')
            : Buffer.from(token.replace('v4.public.', ''), 'base64url').subarray(0, -64).toString('utf8'); // a signature
        const value = parseJson(text, { raw: new Set(['claims']) });
        return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // string keys only
    } catch (error) {
        if (error instanceof JsonError) return {};
        throw error;
    }
}

/** The two forms of a credential differ in this character. */
function isSdJwt(token: string): boolean {
    return token.includes('~');
}

/**
 * Replaces the claims in a verdict on a v4.public token by their text. JSON.parse has changed numbers that a double cannot
 * represent, and nobody has signed what it made of them.
 */
export function withSignedClaims<Verdict extends object>(verdict: Verdict, token: unknown): Verdict {
    if (!('claims' in verdict) || typeof token !== 'string' || isSdJwt(token)) return verdict;
    const { claims } = payloadOf(token);
    return claims instanceof JsonText ? { ...verdict, claims } : verdict;
}
