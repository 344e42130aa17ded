import { attempt, type Outcome } from './outcome.ts';
import { deriveKey, hashPassword, needsRehash, type PasswordCost, verifyPassword } from './password.ts';

export type PasswordJob =
    | { op: 'hash'; password: string; cost: PasswordCost }
    | { op: 'verify'; password: string; phc: string; cost: PasswordCost }
    /** `key` is shared memory, so that the key exists only once. The salt is base64. */
    | { op: 'derive'; password: string; salt: string; cost: PasswordCost; key: Uint8Array };

export interface PasswordAnswers {
    hash: string;
    verify: { matches: boolean; rehash: boolean };
    derive: undefined;
}

export type PasswordAnswer = PasswordAnswers[keyof PasswordAnswers];

export function run(job: PasswordJob): Outcome<PasswordAnswer> {
    return attempt(() => answer(job));
}

function answer(job: PasswordJob): PasswordAnswer {
    switch (job.op) {
        case 'hash':
            return hashPassword(job.password, job.cost);
        case 'verify': {
            const matches = verifyPassword(job.phc, job.password);
            return { matches, rehash: matches && needsRehash(job.phc, job.cost) };
        }
        case 'derive':
            deriveKey(job.key, job.password, Buffer.from(job.salt, 'base64'), job.cost);
            return undefined;
    }
}
