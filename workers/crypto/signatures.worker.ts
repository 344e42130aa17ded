import type { KeyObject } from 'node:crypto';
import { encodeBase64 } from '../../platform/base64.ts';
import type { Opened, OpenRequest } from '../../tokens/open.ts';
import type { OpenedSdJwtVc, OpenSdJwtVcRequest } from '../../tokens/sd-jwt-vc.ts';
import { type KeyPair, secretKeyBytes } from './ed25519.ts';
import { attempt, type Outcome } from './outcome.ts';
import { signToken } from './paseto.ts';
import {
    generateKey,
    generateP256Key,
    type JwsRequest,
    openSdJwtVc,
    openToken,
    type SignRequest,
    signerOf,
    signJws,
} from './signature-jobs.ts';

/**
 * The bytes of keys are passed as base64 text: cloning a small byte array costs more than the encoding, and cloning a view
 * copies its whole buffer. A KeyObject is not copied: both threads then refer to one key.
 */
export type Job =
    | { op: 'generate' }
    | { op: 'generate-p256' }
    | (Omit<SignRequest, 'secretKey'> & { op: 'sign'; secretKey: string })
    | (Omit<JwsRequest, 'secretKey'> & { op: 'sign-jws'; secretKey: string | KeyObject })
    | (OpenRequest & { op: 'open' })
    | (OpenSdJwtVcRequest & { op: 'open-sd-jwt' });

/** The result of each kind of job. The secret key of a new pair is its seed or secret, then its public key. */
export interface Answers {
    generate: { did: string; secretKey: string };
    'generate-p256': { did: string; secretKey: string };
    sign: string;
    'sign-jws': string;
    open: Opened;
    'open-sd-jwt': OpenedSdJwtVc;
}

export type SignatureResult = Answers[keyof Answers];

/** Runs a batch. Each job succeeds or fails alone. */
export function run(jobs: Job[]): Array<Outcome<SignatureResult>> {
    const signerFor = signers();
    return jobs.map((job) => attempt(() => answer(job, signerFor)));
}

type SignJob = Extract<Job, { op: 'sign' }>;

/**
 * Returns a function that reads the key pair of a job. It reads the key once for consecutive jobs of one issuer: those
 * of a batch of credentials. It keeps the key no longer than the jobs, which contain it anyway.
 */
function signers(): (job: SignJob) => KeyPair {
    let last: { did: string; secretKey: string; pair: KeyPair } | undefined;
    return ({ did, secretKey }) => {
        if (last?.did !== did || last.secretKey !== secretKey) {
            last = { did, secretKey, pair: signerOf({ did, secretKey: Buffer.from(secretKey, 'base64') }) };
        }
        return last.pair;
    };
}

function answer(job: Job, signerFor: (job: SignJob) => KeyPair): SignatureResult {
    switch (job.op) {
        case 'generate': {
            const { did, seed, public_key } = generateKey();
            return { did, secretKey: encodeBase64(secretKeyBytes(seed, public_key)) };
        }
        case 'generate-p256': {
            const { did, secret, public_key } = generateP256Key();
            return { did, secretKey: encodeBase64(Buffer.concat([secret, public_key])) };
        }
        case 'sign': {
            const { seed, public_key } = signerFor(job);
            return signToken(job.payload, seed, public_key);
        }
        case 'sign-jws':
            return signJws({ ...job, secretKey: decodedKey(job.secretKey) });
        case 'open':
            return openToken(job);
        case 'open-sd-jwt':
            return openSdJwtVc(job);
    }
}

function decodedKey(secretKey: string | KeyObject): JwsRequest['secretKey'] {
    return typeof secretKey === 'string' ? Buffer.from(secretKey, 'base64') : secretKey;
}
