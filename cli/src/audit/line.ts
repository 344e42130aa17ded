import { Fault } from './fault.ts';

/** The members of each kind of line, in the order in which the service writes them. A row of an old release has no actor. */
const MEMBERS = {
    audit: ['version', 'exported_at', 'start', 'edge'],
    row: ['leaf', 'account', 'last_seq', 'count', 'type', 'timestamp', 'actor', 'data_sha256', 'hash', 'data'],
    seal: ['leaf', 'checkpoint', 'sealed_at', 'hash', 'root'],
    checkpoint: ['size', 'note'],
    end: ['size', 'checkpoint'],
} as const;
type Kind = keyof typeof MEMBERS;
export type Line<K extends Kind> = { [Member in (typeof MEMBERS)[K][number]]: unknown };

/** The members of the data of an event, in their order. A later release may have others. */
export const DATA_MEMBERS = [
    'credential_id',
    'issuer_did',
    'key_id',
    'successor_id',
    'issuer_id',
    'kid',
    'wallet_id',
    'session_id',
    'webhook_id',
    'offer_id',
    'notification',
    'timestamp',
    'request_id',
];

/** A line, whose members are those that the service writes, in the same form. Throws Fault for every other text. */
export function lineOf(text: string): { kind: Kind; line: object } {
    try {
        const line = JSON.parse(text);
        const kind = Object.keys(MEMBERS).find((name): name is Kind => name === line.kind);
        const members = kind ? ['kind', ...MEMBERS[kind]] : [];
        const written = JSON.stringify(Object.fromEntries(members.map((name) => [name, line[name]])));
        if (kind && written === text && hasForm(kind, line)) return { kind, line };
    } catch {
        // JSON.parse throws for every other text
    }
    throw new Fault('It was changed: the service writes no such line.');
}

function hasForm(kind: Kind, { exported_at: time, data }: { exported_at?: unknown; data?: unknown }): boolean {
    if (kind === 'audit') return typeof time === 'string' && new Date(time).toISOString() === time;
    return kind !== 'row' || (Array.isArray(data) && data.every(isData));
}

function isData(item: unknown): boolean {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
    const places = Object.keys(item).flatMap((name) => (DATA_MEMBERS.includes(name) ? DATA_MEMBERS.indexOf(name) : []));
    return places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
}
