import { openDatabase } from '../../../../platform/postgres/db.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { findDrift } from '../../../../services/counts/drift.store.ts';
import type { Actor } from '../load/actor.ts';
import { isAcknowledged, isRefused } from '../load/calls.ts';
import type { Entry, Journal, Kind } from '../load/journal.ts';
import type { Reader } from './reader.ts';
import type { Violation } from './violation.ts';

type Counts = Record<string, number>;

interface Range {
    least: number;
    most: number;
}

/** Compares the statistics of the account with the rows that were read, or with the journal if there is no list. */
export async function checkStatistics(
    { index, token }: Actor,
    journal: Journal,
    options: { api: Reader; read: Counts; stored: number },
): Promise<Violation[]> {
    const { api, read, stored } = options;
    const me = await api.ask({ method: 'GET', path: '/v1/me', token });
    const all = await api.ask({ method: 'GET', path: '/v1/me/stats', token });
    const short = me.data['stats'] as Counts; // its documented type
    const { dids, credentials, presentations, wallets } = all.data as Record<string, Counts>; // its documented type
    const wanted: Array<[name: string, value: number | undefined, wanted: Range]> = [
        ['stats.dids_created', short['dids_created'], exactly(read['dids_created'])],
        ['stats.credentials_issued', short['credentials_issued'], exactly(read['credentials_issued'])],
        ['stats.api_keys_active', short['api_keys_active'], exactly(read['api_keys_active'])],
        ['dids.total', dids?.['total'], exactly(read['dids_created'])],
        ['credentials.total_issued', credentials?.['total_issued'], exactly(read['credentials_issued'])],
        ['credentials.total_revoked', credentials?.['total_revoked'], exactly(read['credentials_revoked'])],
        ['presentations.total_created', presentations?.['total_created'], possible(journal, index, 'present')],
        ['wallets.total', wallets?.['total'], possible(journal, index, 'make-wallet')],
        ['wallets.credentials_stored', wallets?.['credentials_stored'], exactly(stored)],
    ];
    return wanted.flatMap(([name, value = Number.NaN, { least, most }]) => {
        if (value >= least && value <= most) return [];
        return [{ invariant: 'I4', text: `${name} of client ${index} is ${value}, not ${least} to ${most}` }];
    });
}

/** Checks that each count equals the number of its rows in the database. */
export async function checkDrift(databaseUrl: string): Promise<Violation[]> {
    const db = await openDatabase({ url: databaseUrl, size: 1, pooled: false, metrics: createMetrics() });
    try {
        const drift = await findDrift(() => [db]);
        return drift.map(({ account, kind, counted, rows }) => ({
            invariant: 'I4',
            text: `${kind} of ${account} is counted as ${counted}, but has ${rows} rows`,
        }));
    } finally {
        await db.close();
    }
}

function exactly(value = Number.NaN): Range {
    return { least: value, most: value };
}

/** Returns the range from the number of acknowledged writes to that of all writes that may have happened. */
function possible(journal: Journal, actor: number, kind: Kind): Range {
    const attempts: Entry[] = journal.of(actor, kind);
    return {
        least: attempts.filter(({ outcome }) => isAcknowledged(outcome)).length,
        most: attempts.filter(({ outcome }) => !isRefused(outcome)).length,
    };
}
