import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its private key, in PEM. */
export interface Certified {
    cert: string;
    key: string;
}

/** DER (X.690): tag, length, contents. */
function der(tag: number, ...contents: Uint8Array[]): Buffer {
    const body = Buffer.concat(contents);
    const size = body.length;
    const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
    return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...contents: Uint8Array[]): Buffer => der(0x30, ...contents);
const oid = (...bytes: number[]): Buffer => der(0x06, Buffer.from(bytes));
const TRUE = der(0x01, Buffer.of(0xff));
const ED25519 = sequence(oid(0x2b, 0x65, 0x70));
const IS_CA = sequence(oid(0x55, 0x1d, 0x13), TRUE, der(0x04, sequence(TRUE)));

/** The names of a server: 127.0.0.1, 127.0.0.2 and these. */
const serverNames = (names: readonly string[]): Buffer =>
    sequence(
        oid(0x55, 0x1d, 0x11),
        der(0x04, sequence(...[1, 2].map((host) => der(0x87, Buffer.of(127, 0, 0, host))), ...names.map(dnsName))),
    );

const dnsName = (name: string): Buffer => der(0x82, Buffer.from(name));

/** Valid from 2020 until the day `until`, such as 2049-12-31. */
const validity = (until: string): Buffer =>
    sequence(
        der(0x17, Buffer.from('200101000000Z')),
        der(0x17, Buffer.from(`${until.slice(2).replaceAll('-', '')}000000Z`)),
    );

const named = (name: string): Buffer =>
    sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(name)))));

/**
 * Creates a certificate authority (X.509, RFC 5280, with Ed25519 keys, RFC 8410) that certifies servers on this
 * machine.
 */
export function authority(
    name: string,
    { until = '2049-12-31' } = {},
): { cert: string; certify(subject: string, names?: readonly string[]): Certified } {
    const own = generateKeyPairSync('ed25519');
    const issue = (subject: string, publicKey: KeyObject, extension: Buffer): string => {
        const serial = Buffer.concat([Buffer.of(0x01), randomBytes(8)]); // positive
        const body = sequence(
            der(0xa0, der(0x02, Buffer.of(2))), // version 3
            der(0x02, serial),
            ED25519,
            named(name),
            validity(until),
            named(subject),
            publicKey.export({ type: 'spki', format: 'der' }),
            der(0xa3, sequence(extension)),
        );
        const signature = der(0x03, Buffer.of(0), sign(null, body, own.privateKey));
        const text = sequence(body, ED25519, signature)
            .toString('base64')
            .replace(/.{1,64}/g, '$&\n');
        return `-----BEGIN CERTIFICATE-----\n${text}-----END CERTIFICATE-----\n`;
    };
    return {
        cert: issue(name, own.publicKey, IS_CA),
        certify(subject, names = ['localhost']) {
            const { publicKey, privateKey } = generateKeyPairSync('ed25519');
            const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
            return { cert: issue(subject, publicKey, serverNames(names)), key };
        },
    };
}
