import { closeSync, openSync, writeSync } from 'node:fs';
import type { Outcome, Request, Send } from './calls.ts';

/** What a client is about to do. It contains the ids that the client chose, so that the effect can be found later. */
export type Intent =
    | { kind: 'register'; email: string; password: string; name: string }
    | { kind: 'rename'; name: string }
    | { kind: 'change-password'; from: string; to: string }
    | { kind: 'open-session' }
    | { kind: 'refresh'; session: string; refreshToken: string }
    | { kind: 'end-session'; session: string }
    | { kind: 'use-ended-session'; session: string }
    | { kind: 'make-key'; name: string }
    | { kind: 'revoke-key'; keyId: string }
    | { kind: 'use-revoked-key'; keyId: string }
    | { kind: 'register-did'; did: string; publicKey: string }
    | { kind: 'issue'; subject: string; type: string; claims: Record<string, unknown> }
    | { kind: 'revoke'; credentialId: string; token: string; reason: string }
    | { kind: 'present'; audience: string }
    | { kind: 'make-wallet'; name: string; password: string }
    | { kind: 'store'; walletId: string; credentialId: string; token: string }
    | { kind: 'remove'; walletId: string; credentialId: string };

export type Kind = Intent['kind'];

/** Kinds that change nothing. They check that revoked keys and ended sessions are refused. */
const LOOKS: ReadonlySet<Kind> = new Set<Kind>(['use-ended-session', 'use-revoked-key']);

export interface Entry<Of extends Intent = Intent> {
    number: number;
    actor: number;
    gateway: number;
    intent: Of;
    /** As `performance.now()`, like `ended`. */
    began: number;
    ended?: number;
    /** Undefined until the call has ended. */
    outcome?: Outcome;
}

export type EntryOf<K extends Kind> = Entry<Extract<Intent, { kind: K }>>;

export interface Journal {
    entries: readonly Entry[];
    /** Records the intent, sends the request, and records the outcome. */
    perform(call: { actor: number; gateway: number; intent: Intent; request: Request; send: Send }): Promise<Outcome>;
    of<K extends Kind>(actor: number, kind: K): Array<EntryOf<K>>;
    close(): void;
}

export function isWrite({ intent }: Entry): boolean {
    return !LOOKS.has(intent.kind);
}

/** Opens a journal in `file`. It has a line for each intent, written before the request, and one for each outcome. */
export function openJournal(file: string): Journal {
    const output = openSync(file, 'a', 0o600);
    const entries: Entry[] = [];
    const byActor = new Map<string, Entry[]>();
    const note = (line: object): void => void writeSync(output, `${JSON.stringify(line)}\n`);
    return {
        entries,
        async perform({ actor, gateway, intent, request, send }) {
            const entry: Entry = { number: entries.length, actor, gateway, intent, began: performance.now() };
            entries.push(entry);
            const place = `${actor} ${intent.kind}`;
            const known = byActor.get(place);
            if (known) known.push(entry);
            else byActor.set(place, [entry]);
            note(entry);
            const outcome = await send(gateway, request);
            Object.assign(entry, { outcome, ended: performance.now() });
            note({ number: entry.number, ...outcome });
            return outcome;
        },
        of: <K extends Kind>(actor: number, kind: K) => (byActor.get(`${actor} ${kind}`) ?? []) as Array<EntryOf<K>>, // grouped by kind
        close: () => closeSync(output),
    };
}
