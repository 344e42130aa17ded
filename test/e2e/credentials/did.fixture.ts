const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Base58btc without the service's code: a `1` for each leading zero byte, then the bytes as a number in base 58. */
function base58(bytes: Uint8Array): string {
    let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
    let text = '';
    for (; rest > 0n; rest /= 58n) text = `${ALPHABET[Number(rest % 58n)]}${text}`;
    return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

/** Returns the did:key identifier of a public key, made without any code of the service. */
export function didOf(key: Uint8Array, multicodec = [0xed, 0x01]): string {
    return `did:key:z${base58(Uint8Array.from([...multicodec, ...key]))}`;
}
