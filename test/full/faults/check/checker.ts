import type { Actor } from '../load/actor.ts';
import type { Send } from '../load/calls.ts';
import type { Journal } from '../load/journal.ts';
import { checkAccounts } from './accounts.ts';
import { checkAnswers, checkIds } from './answers.ts';
import { checkCredentials, checkRevocationsHold } from './credentials.ts';
import { checkDids } from './dids.ts';
import { checkKeys, checkRevokedKeysHold } from './keys.ts';
import { type Reader, reader } from './reader.ts';
import { checkEndedSessionsHold, checkSessions } from './sessions.ts';
import { checkStatistics } from './statistics.ts';
import type { Violation } from './violation.ts';
import { checkWallets } from './wallets.ts';

/** Number of clients that are checked at the same time. */
const AT_ONCE = 8;

interface CheckOptions {
    actors: readonly Actor[];
    journal: Journal;
    send: Send;
    gateways: number;
    /** Whether processes that answer clients were killed. */
    mayLose: boolean;
}

/**
 * Reads everything in the journal back after the fault. Returns the violations of I1 to I6 and of the health check in
 * I7. Revocations and ended sessions are checked twice, before and after the other reads.
 */
export async function check(options: CheckOptions): Promise<Violation[]> {
    const { actors, journal, send, gateways, mayLose } = options;
    const api = reader(send, gateways);
    const violations = [...checkAnswers(journal, { mayLose }), ...checkIds(journal)];
    const waiting = [...actors];
    const work = async (): Promise<void> => {
        for (let actor = waiting.shift(); actor; actor = waiting.shift()) {
            violations.push(...(await checkActor(actor, journal, api)));
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    violations.push(...(await checkHealth(api)));
    return violations;
}

async function checkActor(actor: Actor, journal: Journal, api: Reader): Promise<Violation[]> {
    try {
        const credentials = await checkCredentials(actor, journal, api);
        const keys = await checkKeys(actor, journal, api);
        const dids = await checkDids(actor, journal, api);
        const wallets = await checkWallets(actor, journal, api);
        const read = { ...credentials.counts, ...keys.counts, ...dids.counts };
        return [
            ...credentials.violations,
            ...keys.violations,
            ...dids.violations,
            ...wallets.violations,
            ...(await checkStatistics(actor, journal, { api, read, stored: wallets.stored })),
            ...(await checkSessions(actor, journal, api)),
            ...(await checkAccounts(actor, journal, api)),
            ...(await checkRevocationsHold(actor, journal, api)),
            ...(await checkRevokedKeysHold(actor, journal, api)),
            ...(await checkEndedSessionsHold(actor, journal, api)),
        ];
    } catch (error) {
        const { message } = error as Error; // the reader throws Errors
        return [{ invariant: 'I1', text: `client ${actor.index} cannot be read back: ${message}` }];
    }
}

/** Checks that every gateway reports healthy, because the fault is over. */
async function checkHealth(api: Reader): Promise<Violation[]> {
    const answers = await api.askAll({ method: 'GET', path: '/internal/health' });
    return answers.flatMap(({ data }, gateway) =>
        data['status'] === 'healthy'
            ? []
            : [
                  {
                      invariant: 'I7',
                      text: `gateway ${gateway} says ${JSON.stringify(data['services'])} after the fault`,
                  },
              ],
    );
}
