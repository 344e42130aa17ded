import { setTimeout as delay } from 'node:timers/promises';
import { table } from '../../bench/table.ts';
import { createClient } from '../../client/src/client.ts';
import { ApiError } from '../../client/src/errors.ts';
import { partOfIssuer } from '../../services/credentials/parts/part-map.ts';

/** Number of credentials in a batch, and of callers for each part. */
const BATCH = 16;
const CALLERS = 2;
const ITEM = { subject_did: 'did:web:subject.example', credential_type: 'T', claims: {} };

export interface PartLoad {
    /** Answers that are neither a success nor 503 with Retry-After. */
    wrong: readonly string[];
    /** Whether a batch for each part succeeds now. */
    issuesInAll(): Promise<boolean>;
    /** What has happened in each part since the last table. */
    table(): string;
    /** How many credentials of a part were refused since the last table. */
    refusedIn(part: number): number;
    /** Issues a credential in a part, verifies and revokes it. Throws the error of a call that fails. */
    useAll(part: number): Promise<void>;
    /** Resolves to the ids of the acknowledged credentials of each part. */
    stop(): Promise<string[][]>;
}

interface Part {
    issuer: { issuer_did: string; issuer_private_key: string };
    acknowledged: string[];
    tally: { issued: number; refused: number; longestMs: number };
}

export const schemaOf = (part: number): string => (part === 0 ? 'credentials' : `credentials_${part}`);
const newTally = (): Part['tally'] => ({ issued: 0, refused: 0, longestMs: 0 });

/** A call with an Idempotency-Key needs all parts, so it is refused while any node is away. */
function sendWithoutKey(url: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.delete('Idempotency-Key');
    return fetch(url, { ...init, headers });
}

/** Issues batches without a pause, for an issuer of each part. */
export async function startLoad(env: Record<string, string>, count: number): Promise<PartLoad> {
    const { E2E_URLS = '', E2E_INTERNAL_SECRET = '' } = env;
    const caller = { base_url: E2E_URLS.split(',')[0] ?? '', internal_secret: E2E_INTERNAL_SECRET };
    const { internal } = createClient({ ...caller, tries: 1, fetch: sendWithoutKey });
    const byPart = new Map<number, Part>();
    while (byPart.size < count) {
        const { did, private_key = '' } = await internal.did.create();
        const issuer = { issuer_did: did, issuer_private_key: private_key };
        byPart.set(partOfIssuer(did, count), { issuer, acknowledged: [], tally: newTally() });
    }
    const partAt = (part: number): Part => byPart.get(part) as Part; // the loop has filled it
    const parts = Array.from({ length: count }, (_, part) => partAt(part));
    const wrong: string[] = [];
    let over = false;

    async function issue({ issuer, tally, acknowledged }: Part): Promise<boolean> {
        const began = performance.now();
        try {
            const { results } = await internal.credentials.batch.issue({ ...issuer, items: Array(BATCH).fill(ITEM) });
            const ids = results.flatMap((result) => (result.ok ? [result.credential_id] : []));
            const codes = results.flatMap((result) => (result.ok ? [] : [result.code]));
            acknowledged.push(...ids);
            tally.issued += ids.length;
            tally.refused += codes.length;
            wrong.push(...codes.filter((code) => code !== 'unavailable'));
            return codes.length === 0;
        } catch (error) {
            tally.refused += BATCH;
            const isRefusal = error instanceof ApiError && error.status === 503 && error.retry_after !== undefined;
            if (!isRefusal) wrong.push(String(error));
            return false;
        } finally {
            tally.longestMs = Math.max(tally.longestMs, performance.now() - began);
        }
    }

    const callers = parts.flatMap((part) =>
        Array.from({ length: CALLERS }, async () => {
            while (!over) if (!(await issue(part))) await delay(100);
        }),
    );
    return {
        wrong,
        issuesInAll: async () => (await Promise.all(parts.map(issue))).every(Boolean),
        refusedIn: (part) => partAt(part).tally.refused,
        async useAll(part) {
            const { issuer, acknowledged } = partAt(part);
            const { credential, credential_id } = await internal.credentials.issue({ ...issuer, ...ITEM });
            acknowledged.push(credential_id);
            const { issuer_did } = issuer;
            const check = { credential, issuer_did, check_revocation: true };
            const before = await internal.credentials.verify(check);
            await internal.credentials.revoke({ credential_id, issuer_did });
            const { results } = await internal.credentials.batch.status({ credential_ids: [credential_id] });
            const [status] = results;
            const after = await internal.credentials.verify(check);
            if (!before.valid || after.valid || !status?.ok || !status.revoked) throw new Error('a wrong answer');
        },
        table() {
            const rows = parts.map(({ tally: { issued, refused, longestMs } }, part) =>
                [schemaOf(part), issued, refused, Math.round(longestMs)].map(String),
            );
            for (const part of parts) part.tally = newTally();
            return table(['schema', 'issued', 'refused', 'longest call, ms'], rows);
        },
        async stop() {
            over = true;
            await Promise.all(callers);
            return parts.map(({ acknowledged }) => acknowledged);
        },
    };
}
