import { randomBytes, randomInt } from 'node:crypto';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const TEXT_LENGTH = 24;

/** Where a canary is looked for. */
export type Place = 'log' | 'trace' | 'metrics' | 'redis' | 'database' | 'heap' | 'refusal';

/** A unique random value that stands where a secret stands. */
export interface Canary {
    /** What it was sent or answered as. */
    label: string;
    bytes: Buffer;
    /** Where it may be found; everywhere else it is a leak. */
    allowed: ReadonlySet<Place>;
}

/** All canaries of a run. */
export class Canaries {
    readonly all: Canary[] = [];

    /** A new text. A form that escapes some characters finds none here to escape, so it is found in that form too. */
    text(label: string, allowed: readonly Place[] = []): string {
        const text = Array.from({ length: TEXT_LENGTH }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('');
        return this.known(label, text, allowed);
    }

    /** New bytes, as a private key is. */
    bytes(label: string, length = 32): Buffer {
        const bytes = randomBytes(length);
        this.known(label, bytes);
        return bytes;
    }

    /** A secret that the service itself has made, or that has a form of its own. */
    known<Value extends string | Uint8Array>(label: string, value: Value, allowed: readonly Place[] = []): Value {
        this.all.push({ label, bytes: Buffer.from(value as Uint8Array), allowed: new Set(allowed) });
        return value;
    }
}

/** The forms in which bytes are looked for, each as the bytes that a file would hold. */
export function formsOf(bytes: Buffer): Map<string, Buffer> {
    const latin1 = bytes.toString('latin1');
    const hex = bytes.toString('hex');
    const escaped = hex.replaceAll(/../g, '%$&');
    const utf16 = Buffer.from(latin1, 'utf16le');
    const texts: Array<[form: string, text: string]> = [
        ['hex', hex],
        ['HEX', hex.toUpperCase()],
        ['URL-encoded', escaped],
        ['URL-ENCODED', escaped.toUpperCase()],
        ['list of numbers', bytes.join(',')],
        ...[0, 1, 2].flatMap((phase): Array<[string, string]> => {
            const text = base64Inside(bytes, phase);
            const inUrl = text.replaceAll('+', '-').replaceAll('/', '_');
            const base64: [string, string] = [`base64 at ${phase}`, text];
            return inUrl === text ? [base64] : [base64, [`base64url at ${phase}`, inUrl]];
        }),
    ];
    return new Map([
        ['plain', bytes],
        ['UTF-16LE', utf16],
        ['UTF-16BE', Buffer.from(utf16).swap16()],
        ...texts.map(([form, text]) => [form, Buffer.from(text)] as const),
    ]);
}

/** What is the same in every base64 text of something that holds the bytes at an offset of `phase` modulo 3. */
function base64Inside(bytes: Buffer, phase: number): string {
    const text = Buffer.concat([Buffer.alloc(phase), bytes]).toString('base64');
    return text.slice(phase === 0 ? 0 : phase + 1, Math.floor(((phase + bytes.length) * 4) / 3));
}
