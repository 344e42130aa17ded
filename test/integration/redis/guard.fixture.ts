import { randomUUID } from 'node:crypto';
import type { GuardTarget } from '../../../platform/access/guard.ts';

export const newTarget = (): GuardTarget => ({ subject: `test:${randomUUID()}`, address: '192.0.2.1' });

/** What an attempt with the right password does. */
export const right = async () => 'opened';
/** What an attempt with a wrong password does. */
export const wrong = async () => undefined;
