import type { Actor } from '../load/actor.ts';
import { isAcknowledged } from '../load/calls.ts';
import type { Journal } from '../load/journal.ts';
import type { Found } from './credentials.ts';
import type { Reader } from './reader.ts';
import { broken, lost, type Violation } from './violation.ts';

/** Resolves each registered DID. The count includes the DID that the client had from the start. */
export async function checkDids(actor: Actor, journal: Journal, api: Reader): Promise<Found> {
    const violations: Violation[] = [];
    let found = 1;
    for (const entry of journal.of(actor.index, 'register-did')) {
        const { did, publicKey } = entry.intent;
        const { status, data } = await api.ask({ method: 'GET', path: `/v1/did/${did}`, token: actor.key.secret });
        if (status === 200) found++;
        if (status === 200 && data['public_key'] !== publicKey) {
            violations.push(broken(isAcknowledged(entry.outcome) ? 'I1' : 'I3', entry, 'it has another public key'));
        }
        if (status !== 200 && isAcknowledged(entry.outcome))
            violations.push(lost(entry, `it is answered with ${status}`));
    }
    return { violations, counts: { dids_created: found } };
}
