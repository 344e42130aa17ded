import { z } from 'zod';
import { coalesce } from '../../../platform/batch.ts';
import { CallerPlaces } from '../../../platform/bounded-queue.ts';
import type { CallLifetime } from '../../../platform/context.ts';
import { flightLimit } from '../../../platform/gather.ts';
import { type Database, isDeadlock, STORE_GROUPS, sql } from '../../../platform/postgres/db.ts';
import { rowLookup, type StatementLimits } from '../../../platform/postgres/row-lookup.ts';
import { causeOfWallet } from '../../outbox/cause.ts';
import { appendEvents } from '../../outbox/outbox.store.ts';
import { configurationRow } from '../rows.ts';
import { type Binding, bindGroup, type Issued, noteGroup } from './bind.store.ts';
import { type OfferLookups, offerLookups } from './lookups.store.ts';
import { type Spending, type SpendOutcome, spendGroup } from './spend.store.ts';

const offeringRow = z.strictObject({ issuer: z.string() });

/**
 * Wallets come in large numbers at once, so what they ask is gathered: one statement serves many of them.
 */
export interface WalletStore extends OfferLookups {
    configurations(issuer: string, lifetime: CallLifetime): Promise<ReadonlyArray<z.infer<typeof configurationRow>>>;
    /** True if the issuer has a configuration. */
    offersAnything(issuer: string, lifetime: CallLifetime): Promise<boolean>;
    /**
     * Spends the code, if the transaction code is right; otherwise counts the failure. One statement does both, so that
     * many callers at once have no more guesses than one.
     */
    spend(spending: Omit<Spending, 'request_id'>, lifetime: CallLifetime): Promise<SpendOutcome>;
    /**
     * Binds an offer to keys. It may be bound to some of them already. Resolves to the thumbprints of the others, or to
     * undefined if the offer would then have too many keys, or is gone.
     */
    bind(binding: Binding, lifetime: CallLifetime): Promise<ReadonlySet<string> | undefined>;
    /** Frees an offer from a key to which this call has bound it, and for which nothing was issued. */
    release(binding: Omit<Issued, 'credential'> & Pick<Binding, 'call'>, lifetime: CallLifetime): Promise<void>;
    /** Notes which credential was issued for a key. Resolves to false if the subject of the offer was erased meanwhile. */
    noteIssued(issued: Issued, lifetime: CallLifetime): Promise<boolean>;
    /** Notes what a wallet says about its credentials. */
    notify(notified: { offer: string; notification: string }, lifetime: CallLifetime): Promise<void>;
}

/**
 * Maximum number of calls for one offer that wait for each other. A call takes a few milliseconds. Beyond it:
 * `unavailable`.
 */
const MAX_WAITING = 1_024;

/**
 * Maximum number of gathered statements for wallets at a time in a process. With two, one that waits for a locked offer
 * does not hold up the others. Beyond it: they wait for each other, and more calls share each of them.
 */
const MAX_STATEMENTS = 2;

export function walletStore(db: Database): WalletStore {
    const limits = { maxInFlight: 1, flightLimit: flightLimit(MAX_STATEMENTS) } as const;
    return { ...offerLookups(db, limits), ...offerChanges(db, limits), ...notes(db, limits) };
}

function offerChanges(db: Database, limits: StatementLimits): Pick<WalletStore, 'spend' | 'bind' | 'noteIssued'> {
    const options = { ...STORE_GROUPS, ...limits, bisectOn: isDeadlock };
    const spend = coalesce({ ...options, name: 'offers_spend', run: (group: Spending[]) => spendGroup(db, group) });
    const bind = coalesce({ ...options, name: 'offers_bind', run: (group: Binding[]) => bindGroup(db, group) });
    // One call for each offer at a time, because a statement must not have an offer twice.
    const turns = new CallerPlaces({ places: 1, name: 'offers', maxWaiting: MAX_WAITING });
    return {
        spend: (spending, lifetime) => {
            const own = { ...spending, request_id: lifetime.request_id };
            return turns.run(spending.id, () => spend(own, lifetime), lifetime);
        },
        bind: (binding, lifetime) => turns.run(binding.offer, () => bind(binding, lifetime), lifetime),
        noteIssued: coalesce({ ...options, name: 'offers_issued', run: (group: Issued[]) => noteGroup(db, group) }),
    };
}

function notes(
    db: Database,
    limits: StatementLimits,
): Pick<WalletStore, 'configurations' | 'offersAnything' | 'release' | 'notify'> {
    const offering = rowLookup<string, z.infer<typeof offeringRow>>(db, {
        name: 'issuers_offering',
        statement: 'issuers_offering',
        ...limits,
        keyOf: ({ issuer }) => issuer,
        query: (issuers) => sql.type(offeringRow)`
            SELECT DISTINCT issuer FROM exchange.configurations WHERE issuer = ANY(${sql.array(issuers, 'uuid')})`,
    });
    return {
        offersAnything: async (issuer, lifetime) => (await offering(issuer, lifetime)) !== undefined,
        configurations(issuer, lifetime) {
            const statement = sql.type(configurationRow)`
                SELECT issuer, id, definition::text AS definition, created_at FROM exchange.configurations
                WHERE issuer = ${issuer} ORDER BY id`;
            return db.rows(statement, 'issuer_metadata', lifetime);
        },
        async release({ offer, thumbprint, call }, lifetime) {
            const statement = sql.unsafe`
                UPDATE exchange.offers SET bindings = bindings - ${thumbprint}::text
                WHERE id = ${offer} AND bindings ->> ${thumbprint}::text = ${call}`;
            await db.rows(statement, 'offer_release', lifetime);
        },
        async notify({ offer, notification }, lifetime) {
            const data = sql.fragment`'offer_id', id, 'notification', notification`;
            const causes = causeOfWallet(lifetime.request_id);
            const statement = sql.unsafe`
                WITH written AS (
                    UPDATE exchange.offers SET notification = ${notification}
                    WHERE id = ${offer} AND notification IS DISTINCT FROM ${notification}
                    RETURNING account, id, notification
                ) ${appendEvents('exchange', 'offer.notified', { data, causes })}`;
            await db.rows(statement, 'offer_notify', lifetime);
        },
    };
}
