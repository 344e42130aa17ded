import { randomUUID } from 'node:crypto';
import { AuditFile } from '../../../cli/src/audit/audit-file.ts';
import { Fault } from '../../../cli/src/audit/fault.ts';
import type { KeptCheckpoint } from '../../../cli/src/audit/kept-checkpoint.ts';
import { auditLine, auditPages } from '../../../gateway/exports/audit.ts';
import type { Services } from '../../../gateway/services.ts';
import { newId } from '../../../platform/ids.ts';
import { stringifyJson } from '../../../platform/json.ts';
import { eventsService } from '../../../services/events/service.ts';
import { eventsStore } from '../../../services/events/store.ts';
import type { Cause } from '../../../services/outbox/cause.ts';
import { makeCheckpoint } from '../../../services/signing/checkpoints.ts';
import { testContext } from '../../support/harness.ts';
import { startSigning } from '../signing/signing.fixture.ts';

export const trusted = testContext({ user_id: undefined, trusted: true });

/** An entry with an event of each account. Without a cause it is as earlier releases have sent them. */
export function entryOf(accounts: readonly string[], type = 'key.created', [actor, requestId]: Partial<Cause> = []) {
    const data = () => ({ key_id: randomUUID(), successor_id: 'ä"\n\u2028' });
    const about = () => (type === 'account.erased' ? {} : data());
    const events = accounts.map((account) => ({ account, data: about(), actor, request_id: requestId }));
    return { entry_id: newId(), type, timestamp: new Date().toISOString(), events } as never;
}

/** The services whose work the audit is, on one database. */
export async function startAudit() {
    const { db, signing } = await startSigning();
    const events = eventsService({ store: eventsStore(db) });
    const { did } = await signing.getStatusKey({}, trusted);
    const append = (...entries: Array<ReturnType<typeof entryOf>>) => events.appendEvents({ entries }, trusted);
    const sign = () => makeCheckpoint({ events, signing });
    /** The lines, as the gateway writes them. */
    async function exported({ from, to }: { from?: string; to?: string } = {}): Promise<string[]> {
        const lines: string[] = [];
        for await (const page of auditPages({ events } as Pick<Services, 'events'>, { from, to }, trusted))
            lines.push(...page.map((line) => stringifyJson(auditLine.parse(line))));
        return lines;
    }
    return { db, events, signing, did, append, sign, exported };
}

/** Reads the lines of an audit. Returns what they show, or the number of the line that is wrong, and why. */
export function verdictOn(lines: readonly string[], issuers: readonly string[] = [], kept?: KeptCheckpoint) {
    const audit = new AuditFile(issuers, kept);
    let number = 0;
    try {
        for (const line of lines) {
            number++;
            audit.read(line);
        }
        number++;
        return { shown: audit.end() };
    } catch (error) {
        if (error instanceof Fault) return { line: number, fault: error.message };
        throw error;
    }
}
