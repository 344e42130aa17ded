import { hash } from 'node:crypto';

/** A key that signs notes. Its name has no blanks and no `+`. */
interface NoteKey {
    name: string;
    /** The 32 bytes of an Ed25519 key. */
    publicKey: Uint8Array;
}

/** Number of signatures in a note that is read. Beyond it: it counts as not signed. */
const MAX_SIGNATURES = 16;
const ED25519 = Buffer.of(1);
/** Length of the id of a key, in bytes. */
const KEY_ID_BYTES = 4;
/** The last empty line ends the text. */
const NOTE = /^([\s\S]*\n)\n((?:\u2014 [^ \n]+ [^ \n]+\n)+)$/;
const CHECKPOINT = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/;

/** The head of a log: its Merkle tree at a size. */
export interface Checkpoint {
    /** Names the log. */
    origin: string;
    size: number;
    root: Buffer;
}

/** The text of a checkpoint (c2sp.org/tlog-checkpoint), without extension lines. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
    return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** The checkpoint in such a text. */
export function checkpointIn(text: string): Checkpoint | undefined {
    const [, origin = '', size, root = ''] = CHECKPOINT.exec(text) ?? [];
    return size === undefined ? undefined : { origin, size: Number(size), root: Buffer.from(root, 'base64') };
}

/** Signs a text, which ends with a newline, as a note (c2sp.org/signed-note). */
export function signedNote(text: string, key: NoteKey, sign: (message: Buffer) => Uint8Array): string {
    const signature = Buffer.concat([keyId(key), sign(Buffer.from(text))]);
    return `${text}\n\u2014 ${key.name} ${signature.toString('base64')}\n`;
}

type Verify = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;

/** The text of a note that this key has signed. Undefined if it has not. Signatures of other keys count for nothing. */
export function signedText(note: string, key: NoteKey, verify: Verify): string | undefined {
    const [, text = '', lines = ''] = NOTE.exec(note) ?? [];
    const signatures = lines.split('\n').slice(0, -1);
    if (signatures.length > MAX_SIGNATURES) return undefined;
    const own = signatures
        .map((line) => line.split(' '))
        .filter(([, name]) => name === key.name)
        .map(([, , signature = '']) => bytesIn(signature))
        .filter((bytes) => bytes.subarray(0, KEY_ID_BYTES).equals(keyId(key)))
        .map((bytes) => bytes.subarray(KEY_ID_BYTES));
    const isSigned = own.length > 0 && own.every((bytes) => verify(bytes, Buffer.from(text), key.publicKey));
    return isSigned ? text : undefined;
}

/** Empty if the text is not the only spelling of its bytes. */
function bytesIn(base64: string): Buffer {
    const bytes = Buffer.from(base64, 'base64');
    return bytes.toString('base64') === base64 ? bytes : Buffer.alloc(0);
}

function keyId({ name, publicKey }: NoteKey): Buffer {
    const named = Buffer.concat([Buffer.from(`${name}\n`), ED25519, publicKey]);
    return hash('sha256', named, 'buffer').subarray(0, KEY_ID_BYTES);
}
