import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Data, Request, Send } from '../load/calls.ts';

/** Reads data back from the service after the fault. */
export interface Reader {
    gateways: number;
    /** Returns the answer of one gateway. Repeats the request, up to TIMEOUT_MS, after 429, 5xx or no answer. */
    ask(request: Request, gateway?: number): Promise<Answer>;
    /** Returns the answers of all gateways. */
    askAll(request: Request): Promise<Answer[]>;
    /** Reads all pages of a list. Returns the rows and the total that the list states. */
    rows(request: Omit<Request, 'method'>, field: string): Promise<{ rows: Data[]; total: number }>;
}

/** A request is repeated for at most this long, in milliseconds. */
const TIMEOUT_MS = 30_000;
const PAGE = 1_000;

export function reader(send: Send, gateways: number): Reader {
    let turn = 0;
    async function ask(request: Request, gateway = turn++ % gateways): Promise<Answer> {
        const giveUp = performance.now() + TIMEOUT_MS;
        for (;;) {
            const outcome = await send(gateway, request);
            const isMeant = 'status' in outcome && outcome.status < 500 && outcome.status !== 429;
            if (isMeant) return outcome;
            if (performance.now() > giveUp) {
                const what = 'lost' in outcome ? outcome.lost : `${outcome.status} ${outcome.code}`;
                throw new Error(`${request.method} ${request.path} is still answered with ${what}.`);
            }
            await delay(100);
        }
    }
    return {
        gateways,
        ask,
        askAll: (request) => Promise.all(Array.from({ length: gateways }, (_, gateway) => ask(request, gateway))),
        async rows({ path, ...rest }, field) {
            const rows: Data[] = [];
            for (let cursor: string | undefined; ; ) {
                const query = new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) });
                const answer = await ask({ ...rest, method: 'GET', path: `${path}?${query}` });
                const page = answer.data[field] as Data[] | undefined; // a list has an array of objects
                if (page === undefined) throw new Error(`${path} is answered with ${answer.status} ${answer.code}.`);
                rows.push(...page);
                cursor = answer.next;
                if (cursor === undefined) return { rows, total: Number(answer.data['total']) };
            }
        },
    };
}
