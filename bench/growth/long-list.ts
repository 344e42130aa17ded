import type { Bed } from '../bed.ts';
import { peakMiB, resetPeaks } from '../proc.ts';
import { insertDids } from '../rows.ts';
import { newSigner } from '../tokens.ts';
import { fillIssuer } from './fill.ts';

export interface LongList {
    rows: number;
    mib: number;
    seconds: number;
    /** Peak memory of the service while it was read, and before. */
    peak_mib: number;
    before_mib: number;
}

/** Reads the whole list of an issuer of so many credentials, and looks at the memory that the service takes for it. */
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
    const before_mib = peakMiB(pids);
    const began = performance.now();
    const url = `http://${gateway?.host}:${gateway?.port}/v1/credentials/by-issuer/${issuer.did}`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${api_key}` } });
    if (response.status !== 200 || !response.body) throw new Error(`The list answered ${response.status}.`);
    let bytes = 0;
    for await (const chunk of response.body) bytes += chunk.length;
    const seconds = (performance.now() - began) / 1_000;
    return { rows, mib: bytes / 2 ** 20, seconds, peak_mib: peakMiB(pids), before_mib };
}
