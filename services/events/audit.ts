import { type CallContext, requireTrusted } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import { countWithin } from '../../platform/gather.ts';
import { refuseUnstorable } from '../../platform/postgres/storable.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import { rootOf, treeWith } from '../../platform/transparency/merkle-tree.ts';
import type { AuditLine, EventsServiceDefinition, ListAuditRequest } from '../../proto/gen/events/v1/events.ts';
import { readDateTime } from '../../tokens/times.ts';
import type { AuditPage } from './audit.store.ts';
import type { StoredEvent } from './gathered.ts';
import type { EventsStore } from './store.ts';

/*
 * The audit: all events in the order in which they were appended, as the leaves of a Merkle tree. append.store.ts adds to
 * it, the role signing signs its head once an hour, and whoever has the lines can check offline that none was changed.
 */

/** Number of leaves that are read for a page. Beyond it: the next page has them. */
const PAGE_LEAVES = 200;
/** Length of the data in a page, in characters. Beyond it: the next page has the rest. */
const PAGE_LENGTH = 1 << 20;
/** Length of a checkpoint, in characters. Beyond it: `invalid`. */
const MAX_NOTE_LENGTH = 1_000;

type Audit = Pick<
    ServiceOf<typeof EventsServiceDefinition>,
    'getTreeHead' | 'addCheckpoint' | 'findAudit' | 'listAudit'
>;

export function audit(store: EventsStore): Audit {
    return {
        async getTreeHead(_request, context) {
            requireTrusted(context);
            return store.currentTree(context);
        },
        async addCheckpoint({ size, edge, note }, context) {
            requireTrusted(context);
            const tree = treeWith(size, edge);
            const root = tree && (await store.rootAt(size, context));
            if (!tree || !root?.equals(rootOf(tree))) throw invalid('edge must be that of the tree at this size.');
            const isNote = note.length <= MAX_NOTE_LENGTH && !refuseUnstorable(note);
            if (!isNote) throw invalid(`note must be a text of at most ${MAX_NOTE_LENGTH} characters, without NUL.`);
            await store.addCheckpoint({ tree, note }, context);
            return {};
        },
        async findAudit({ from, to }, context) {
            requireTrusted(context);
            const times = { from: timeIn(from), to: timeIn(to) };
            if (Date.parse(times.from ?? '') > Date.parse(times.to ?? '')) throw invalid('from must be before to.');
            return store.auditRange(times, context);
        },
        listAudit: (request, context) => listAudit(store, request, context),
    };
}

/** A time in the form of the service. Throws AppError `invalid` for any other text. */
function timeIn(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const time = readDateTime(text);
    if (time !== undefined && Date.parse(time) >= 0) return time;
    throw invalid('from and to must be times since 1970, such as 2026-01-31T00:00:00Z.');
}

async function listAudit(store: EventsStore, { from, end }: ListAuditRequest, context: CallContext) {
    requireTrusted(context);
    if (![from, end].every((number) => Number.isSafeInteger(number) && number >= 0))
        throw invalid('from and end must be numbers of leaves.');
    const until = Math.min(end, from + PAGE_LEAVES);
    const page = await store.auditPage({ from, end: until }, context);
    if (!page)
        throw new AppError('conflict', 'The first events of this audit are not kept any more. Ask for it again.');
    const all = linesOf(page);
    const lines = all.slice(0, countWithin(all, { of: lengthOf, max: PAGE_LENGTH }));
    const [following] = all.slice(lines.length);
    const next = following ? lastLeaf(following) : until;
    return { lines, next_cursor: next < end ? next : undefined };
}

/** In the order of the leaves. A checkpoint comes after the last leaf that it covers. */
function linesOf({ rows, seals, checkpoints }: AuditPage): AuditLine[] {
    const none = { row: undefined, seal: undefined, checkpoint: undefined };
    return [
        ...rows.map(({ actor, data_sha256, data, ...row }) => {
            const stored: StoredEvent[] = JSON.parse(data);
            const events = stored.map(({ timestamp, request_id, ...data }) => ({ data, timestamp, request_id }));
            const shown = { actor: actor ?? undefined, data_sha256: data_sha256.toString('hex'), data: events };
            return { ...none, row: { ...row, ...shown } };
        }),
        ...seals.map((seal) => ({ ...none, seal })),
        ...checkpoints.map((checkpoint) => ({ ...none, checkpoint })),
    ].sort((one, other) => lastLeaf(one) - lastLeaf(other)); // the sort is stable
}

function lastLeaf({ row, seal, checkpoint }: AuditLine): number {
    return row?.leaf ?? seal?.leaf ?? (checkpoint?.size ?? 0) - 1;
}

/** The length of the data in a line, in characters. */
function lengthOf({ row }: AuditLine): number {
    return row ? JSON.stringify(row.data).length : 0;
}
