import type { Bed } from '../bed.ts';
import { peakMiB, resetPeaks } from '../proc.ts';
import { insertDids } from '../rows.ts';
import { newSigner } from '../tokens.ts';
import { fillIssuer } from './fill.ts';

export interface LongList {
    rows: number;
    mib: number;
    seconds: number;
    /** Peak memory of the service: while the list was read, and before that (`beforeMib`). */
    peakMib: number;
    beforeMib: number;
}

/** Reads the whole list of an issuer with `rows` credentials, and measures how much memory the service needs for it. */
export async function readLongList({ stack, environment: { db, world } }: Bed, rows: number): Promise<LongList> {
    const issuer = newSigner();
    const { user_id: account, api_key } = world.accountOf(0);
    await insertDids(db, [{ ...issuer, account }]);
    await fillIssuer(db, issuer.did, account, rows);
    const { gateways, groups } = stack;
    const [gateway] = gateways;
    const { postgres: _, redis: __, ...own } = groups;
    const pids = Object.values(own).flat();
    resetPeaks(pids);
    const beforeMib = peakMiB(pids);
    const began = performance.now();
    const url = `http://${gateway?.host}:${gateway?.port}/v1/credentials/by-issuer/${issuer.did}`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${api_key}` } });
    if (response.status !== 200 || !response.body) throw new Error(`The list answered ${response.status}.`);
    let bytes = 0;
    for await (const chunk of response.body) bytes += chunk.length;
    const seconds = (performance.now() - began) / 1_000;
    return { rows, mib: bytes / 2 ** 20, seconds, peakMib: peakMiB(pids), beforeMib };
}
