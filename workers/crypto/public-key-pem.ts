/**
 * The PEM of a public key, the form that Node reads fastest. `prefix`: what stands before the key in its
 * SubjectPublicKeyInfo (DER).
 */
export function publicKeyPem(prefix: Uint8Array, key: Uint8Array): string {
    const info = Buffer.concat([prefix, key]).toString('base64');
    return `-----BEGIN PUBLIC KEY-----\n${info}\n-----END PUBLIC KEY-----`;
}
