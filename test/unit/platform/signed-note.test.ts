import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkpointIn, checkpointText, signedNote, signedText } from '../../../platform/transparency/signed-note.ts';
import { verifySignature } from '../../../verify/src/ed25519.ts';
import { generateKeyPair, sign } from '../../../workers/crypto/ed25519.ts';

/** The example of golang.org/x/mod/sumdb/note. */
const EXAMPLE = {
    text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
    signature:
        '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
    key: {
        name: 'PeterNeumann',
        publicKey: Buffer.from('ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', 'base64').subarray(1),
    },
};

const { seed, public_key: publicKey } = generateKeyPair();
const key = { name: 'example.com/log', publicKey };
const noteOf = (text: string, named = key) => signedNote(text, named, (message) => sign(message, seed, publicKey));

describe('a signed note', () => {
    it('of another implementation is read', () => {
        const { text, signature, key: signer } = EXAMPLE;
        assert.equal(signedText(`${text}\n${signature}`, signer, verifySignature), text);
    });

    it('is read with its key, and counts for nothing with another one', () => {
        const text = 'one\n\ntwo\n';
        const note = noteOf(text);
        assert.equal(signedText(note, key, verifySignature), text);
        assert.equal(signedText(note, { ...key, name: 'example.com/other' }, verifySignature), undefined);
        const other = generateKeyPair().public_key;
        assert.equal(signedText(note, { ...key, publicKey: other }, verifySignature), undefined);
        const strange = EXAMPLE.signature;
        assert.equal(signedText(`${note}${strange}`, key, verifySignature), text);
        assert.equal(signedText(`${text}\n${strange}`, key, verifySignature), undefined);
    });

    it('is refused after each change', () => {
        const note = noteOf('one\ntwo\n');
        const bytes = Buffer.from(note);
        for (let at = 0; at < bytes.length; at++) {
            const changed = Buffer.from(bytes);
            changed[at] = (changed[at] ?? 0) ^ 1;
            const text = signedText(changed.toString('latin1'), key, verifySignature);
            const utf8 = signedText(changed.toString(), key, verifySignature);
            assert.deepEqual([text, utf8], [undefined, undefined], `byte ${at}`);
        }
        const added = [`${note}\n`, `${note.slice(0, -1)} approved\n`, `${note.slice(0, -1)} \n`];
        for (const changed of [note.slice(1), note.slice(0, -1), note.replace('\n\n', '\n'), ...added])
            assert.equal(signedText(changed, key, verifySignature), undefined);
        const many = note + EXAMPLE.signature.repeat(16);
        assert.equal(signedText(many, key, verifySignature), undefined);
    });
});

describe('a checkpoint', () => {
    it('is read as it was written, and in no other form', () => {
        const checkpoint = { origin: 'example.com/log', size: 20_852_163, root: Buffer.alloc(32, 7) };
        const text = checkpointText(checkpoint);
        assert.deepEqual(checkpointIn(text), checkpoint);
        for (const other of [`${text}more\n`, text.slice(0, -1), text.replace('208', '0208'), text.replace('=', '')])
            assert.equal(checkpointIn(other), undefined, other);
    });
});
