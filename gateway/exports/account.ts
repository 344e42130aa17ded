import { type CallContext, REQUEST_TIMEOUT_MS } from '../../platform/context.ts';
import { MAX_PAGE_ROWS } from '../../proto/limits.ts';
import { statisticsOf } from '../endpoints/statistics.ts';
import type { Services } from '../services.ts';

/** A part of a list, and where its next part begins. */
interface Part {
    rows: readonly object[];
    next_cursor: string | undefined;
}

type ReadPart = (services: Services, cursor: string | undefined, context: CallContext) => Promise<Part>;

/** How the objects of each kind are read. An export has them in this order. */
const PARTS = {
    user: async ({ identity }, _cursor, context) => whole(await identity.getUser({}, context)),
    statistics: async ({ usage }, _cursor, context) => whole(statisticsOf(await usage.getStatistics({}, context))),
    async session({ identity }, cursor, context) {
        const { sessions, next_cursor } = await identity.listSessions({ limit: MAX_PAGE_ROWS, cursor }, context);
        return { rows: sessions, next_cursor };
    },
    async key({ keys: service, usage }, cursor, context) {
        const page = { limit: MAX_PAGE_ROWS, cursor, with_total: false };
        const { keys, next_cursor } = await service.list(page, context);
        const used = await usage.getKeyUsage({ key_ids: keys.map(({ key_id }) => key_id) }, context);
        const rows = keys.map((key, index) => ({ ...key, last_used_at: used.keys[index]?.last_used_at }));
        return { rows, next_cursor };
    },
    async did({ did }, cursor, context) {
        const { dids, next_cursor } = await did.list({ limit: MAX_PAGE_ROWS, cursor }, context);
        return { rows: dids, next_cursor };
    },
    async issuer({ signing }, cursor, context) {
        const page = { limit: MAX_PAGE_ROWS, cursor, with_total: false };
        const { issuers, next_cursor } = await signing.listIssuers(page, context);
        return { rows: issuers, next_cursor };
    },
    async configuration({ exchange }, cursor, context) {
        const { configurations, next_cursor } = await exchange.listAllConfigurations({ cursor }, context);
        return { rows: configurations, next_cursor };
    },
    async credential({ credentials: service }, cursor, context) {
        const { credentials, next_cursor } = await service.listIssued({ limit: MAX_PAGE_ROWS, cursor }, context);
        return { rows: credentials, next_cursor };
    },
    async presentation({ presentations: service }, cursor, context) {
        const { presentations, next_cursor } = await service.list({ limit: MAX_PAGE_ROWS, cursor }, context);
        return { rows: presentations, next_cursor };
    },
    async wallet({ wallet }, cursor, context) {
        const { wallets, next_cursor } = await wallet.list({ limit: MAX_PAGE_ROWS, cursor }, context);
        return { rows: wallets.map((row) => ({ ...row, contents: 'sealed' })), next_cursor };
    },
    async webhook({ webhooks: service }, cursor, context) {
        const page = { limit: MAX_PAGE_ROWS, cursor, with_total: false };
        const { webhooks, next_cursor } = await service.list(page, context);
        return { rows: webhooks, next_cursor };
    },
    async offer({ exchange }, cursor, context) {
        const page = { limit: MAX_PAGE_ROWS, cursor, with_total: false };
        const { offers, next_cursor } = await exchange.listOffers(page, context);
        return { rows: offers, next_cursor };
    },
    async event({ events: service }, cursor, context) {
        const page = { after: Number(cursor ?? 0), types: [], limit: MAX_PAGE_ROWS };
        const { events, next } = await service.listEvents(page, context);
        return { rows: events, next_cursor: events.length === MAX_PAGE_ROWS ? String(next) : undefined };
    },
} satisfies Record<string, ReadPart>;

type Kind = keyof typeof PARTS;

/** The version of the form of an export. It grows when a program that reads exports must change. */
const VERSION = 1;

/** The pages of an export of the account of a call. The last line has the number of lines of each kind. */
export async function* accountPages(
    services: Services,
    context: CallContext,
    exportedAt: string,
): AsyncGenerator<object[], void> {
    const counts: Partial<Record<Kind, number>> = {};
    let lines: object[] = [{ kind: 'export', version: VERSION, exported_at: exportedAt }];
    for (const [kind, read] of Object.entries(PARTS) as Array<[Kind, ReadPart]>) {
        let cursor: string | undefined;
        do {
            // Each page has the time limit of a call. The duration of the export depends on the reader.
            const { rows, next_cursor } = await read(services, cursor, {
                ...context,
                deadline: performance.now() + REQUEST_TIMEOUT_MS,
            });
            counts[kind] = (counts[kind] ?? 0) + rows.length;
            lines.push(...rows.map((row) => ({ kind, ...row })));
            if (lines.length > 0) yield lines;
            lines = [];
            cursor = next_cursor;
        } while (cursor !== undefined);
    }
    yield [{ kind: 'end', counts }];
}

function whole(row: object): Part {
    return { rows: [row], next_cursor: undefined };
}
