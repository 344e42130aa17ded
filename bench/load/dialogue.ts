import { type FollowUp, redemption } from './redemption.ts';

/** Dialogues of several requests, which count as one. All answers but the last one have the expected status. */
export const DIALOGUES = { redemption } satisfies Record<string, () => FollowUp>;
export type Dialogue = keyof typeof DIALOGUES;
