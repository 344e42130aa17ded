import { encodeBase64 } from '../../platform/base64.ts';
import { secretKeyBytes } from './ed25519.ts';
import { attempt, type Outcome } from './outcome.ts';
import {
    generateKey,
    type Opened,
    type OpenRequest,
    openToken,
    type SignRequest,
    signPayload,
} from './signature-jobs.ts';

/**
 * Keys are passed as base64 text: cloning a small byte array costs more than the encoding, and cloning a view copies
 * its whole buffer.
 */
export type Job =
    | { op: 'generate' }
    | (Omit<SignRequest, 'secretKey'> & { op: 'sign'; secretKey: string })
    | (OpenRequest & { op: 'open' });

/** The result of each kind of job. The secret key of a new pair is its seed, then its public key. */
export interface Answers {
    generate: { did: string; secretKey: string };
    sign: string;
    open: Opened;
}

export type SignatureResult = Answers[keyof Answers];

/** Runs a batch. Each job succeeds or fails alone. */
export function run(jobs: Job[]): Array<Outcome<SignatureResult>> {
    return jobs.map((job) => attempt(() => answer(job)));
}

function answer(job: Job): SignatureResult {
    switch (job.op) {
        case 'generate': {
            const { did, seed, public_key } = generateKey();
            return { did, secretKey: encodeBase64(secretKeyBytes(seed, public_key)) };
        }
        case 'sign':
            return signPayload({ ...job, secretKey: Buffer.from(job.secretKey, 'base64') });
        case 'open':
            return openToken(job);
    }
}
