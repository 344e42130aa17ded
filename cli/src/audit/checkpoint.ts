import { type Checkpoint, checkpointIn, signedText } from '../../../platform/transparency/signed-note.ts';
import { decodeDidKey } from '../../../tokens/did-key.ts';
import { verifySignature } from '../../../verify/src/ed25519.ts';
import { Fault } from './fault.ts';

/**
 * The checkpoint in a note that one of these DIDs has signed. If none is given, it is the one that the note names. Throws
 * Fault.
 */
export function checkpointOf(note: string, trusted: readonly string[]): Checkpoint {
    const [named = ''] = note.split('\n', 1);
    if (trusted.length > 0 && !trusted.includes(named)) throw new Fault('It is of another issuer than you expect.');
    const publicKey = decodeDidKey(named);
    const text = publicKey && signedText(note, { name: named, publicKey }, verifySignature);
    const checkpoint = text === undefined ? undefined : checkpointIn(text);
    if (checkpoint?.origin !== named) throw new Fault('It was changed, or is not signed by the issuer that it names.');
    return checkpoint;
}
