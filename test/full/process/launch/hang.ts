import assert from 'node:assert/strict';
import { until } from './launch.ts';
import { statusOf } from './own-connection.ts';
import { people } from './people.ts';

/** How long an answer of another process may take, in milliseconds. The hanging one answers nothing for 10 s. */
const ANSWERED_MS = 5_000;

interface Hang {
    url: string;
    dataDir: string;
    /** Makes one of several processes hang. */
    hang(): void;
    /** True once it is replaced. */
    replaced(): boolean;
}

/**
 * Writes and reads on new connections while a process hangs, until it is replaced. Checks that a request that is sent
 * after it has begun to hang is answered by the others, and that every acknowledged write is there at the end.
 */
export async function outlivesHang({ url, dataDir, hang, replaced }: Hang): Promise<void> {
    const { register, canLogIn } = people(dataDir);
    const written: string[] = [];
    let hangs = false;
    let lateRequests = 0;
    const client = async (): Promise<void> => {
        while (!replaced()) {
            const late = hangs;
            const askedAt = performance.now();
            try {
                written.push(await register(url));
                assert.equal(await statusOf(`${url}/internal/health`), 200);
            } catch (error) {
                if (late) throw error; // an earlier request may have come to the process that hangs
            }
            if (!late) continue;
            lateRequests++;
            const tookMs = performance.now() - askedAt;
            assert.ok(tookMs < ANSWERED_MS, `a request of another process took ${tookMs} ms`);
        }
    };
    const clients = () => Array.from({ length: 4 }, client);
    const early = clients();
    await until('some writes are acknowledged', () => written.length >= 20);
    hang();
    hangs = true;
    await Promise.all([...early, ...clients()]); // the hanging process may keep all early clients waiting
    assert.ok(lateRequests > 20, `only ${lateRequests} requests were answered while it hung`);
    for (const email of written) assert.ok(await canLogIn(url, email), 'an acknowledged write is lost');
}
