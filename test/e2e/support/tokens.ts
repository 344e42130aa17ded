import { createPrivateKey, sign } from 'node:crypto';
import { PublicProtocol } from 'paseto';
import { ImportPublicKeyFactory, VerifyFactory } from 'paseto/v4/public';

const paseto = new PublicProtocol(ImportPublicKeyFactory, VerifyFactory);

/** The bytes before an Ed25519 seed in PKCS #8 (RFC 8410), in hexadecimal. */
const PKCS8 = '302e020100300506032b657004220420';

interface Signing {
    /** As the service returns it: 64 bytes in base64. */
    private_key: string;
    /** A string and bytes are signed unchanged, other values as JSON. */
    payload: unknown;
    footer?: string;
    implicit?: string;
    header?: string;
}

/** Returns a v4.public token, made without any code of the service. */
export function signToken({
    private_key,
    payload,
    footer = '',
    implicit = '',
    header = 'v4.public.',
}: Signing): string {
    const isRaw = typeof payload === 'string' || payload instanceof Uint8Array;
    const message = Buffer.from(isRaw ? payload : JSON.stringify(payload));
    const seed = Buffer.from(private_key, 'base64').subarray(0, 32);
    const key = createPrivateKey({
        key: Buffer.concat([Buffer.from(PKCS8, 'hex'), seed]),
        format: 'der',
        type: 'pkcs8',
    });
    const signature = sign(
        null,
        encodePieces([Buffer.from(header), message, Buffer.from(footer), Buffer.from(implicit)]),
        key,
    );
    const body = Buffer.concat([message, signature]).toString('base64url');
    return header + body + (footer === '' ? '' : `.${Buffer.from(footer).toString('base64url')}`);
}

/** Verifies a token with a public key (base64) by an independent implementation of PASETO. Returns its payload. */
export async function openToken(token: string, publicKey: string): Promise<Record<string, unknown>> {
    const raw = Buffer.from(publicKey, 'base64').toString('base64url');
    const key = await paseto.ImportPublicKey(`k4.public.${raw}`);
    const { claims } = await paseto.Verify(key, token, { allowNonExpiring: true });
    return claims as Record<string, unknown>; // the service signs an object
}

/** PAE of the PASETO specification: the number of pieces, then each piece after its length. */
function encodePieces(pieces: Buffer[]): Buffer {
    const number = (value: number) => {
        const bytes = Buffer.alloc(8);
        bytes.writeBigUInt64LE(BigInt(value));
        return bytes;
    };
    return Buffer.concat([number(pieces.length), ...pieces.flatMap((piece) => [number(piece.length), piece])]);
}
