import { attempt, type Outcome } from './outcome.ts';
import { hashPassword, needsRehash, type PasswordCost, verifyPassword } from './password.ts';

export type PasswordJob =
    | { op: 'hash'; password: string; cost: PasswordCost }
    | { op: 'verify'; password: string; phc: string; cost: PasswordCost };

export interface PasswordAnswers {
    hash: string;
    verify: { matches: boolean; rehash: boolean };
}

export type PasswordAnswer = PasswordAnswers[keyof PasswordAnswers];

export function run(job: PasswordJob): Outcome<PasswordAnswer> {
    return attempt(() => answer(job));
}

function answer(job: PasswordJob): PasswordAnswer {
    if (job.op === 'hash') return hashPassword(job.password, job.cost);
    const matches = verifyPassword(job.phc, job.password);
    return { matches, rehash: matches && needsRehash(job.phc, job.cost) };
}
