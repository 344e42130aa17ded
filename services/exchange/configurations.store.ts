import type { CallLifetime } from '../../platform/context.ts';
import { type Database, type Queries, sql } from '../../platform/postgres/db.ts';
import { MAX_CONFIGURATIONS } from '../../proto/limits.ts';
import { FIRST_ID, LAST_ID } from '../account-pages.store.ts';
import {
    type ConfigurationRow,
    configurationRow,
    type Definition,
    definitionText,
    type OwnConfiguration,
} from './rows.ts';

const CONFIGURATION = sql.fragment`issuer, id, definition::text AS definition, created_at`;

export interface ConfigurationsStore {
    /** Resolves to `exists` if the issuer has one with this id, and to `full` if it has as many as it may have. */
    insert(
        configuration: OwnConfiguration & { definition: Definition; created_at: string },
        lifetime: CallLifetime,
    ): Promise<'written' | 'exists' | 'full'>;
    list(own: Omit<OwnConfiguration, 'id'>, lifetime: CallLifetime): Promise<readonly ConfigurationRow[]>;
    /** Those of all issuers of an account, in the order of the ids of the issuers and of their own ones. */
    listAll(
        page: { account: string; after: Pick<OwnConfiguration, 'issuer' | 'id'> | undefined; limit: number },
        lifetime: CallLifetime,
    ): Promise<readonly ConfigurationRow[]>;
    find(own: OwnConfiguration, lifetime: CallLifetime): Promise<ConfigurationRow | undefined>;
    /** Resolves to false if there is no such configuration. */
    remove(own: OwnConfiguration, lifetime: CallLifetime): Promise<boolean>;
}

export function configurationsStore(db: Database): ConfigurationsStore {
    async function find({ account, issuer, id }: OwnConfiguration, lifetime: CallLifetime) {
        const statement = sql.type(configurationRow)`
            SELECT ${CONFIGURATION} FROM exchange.configurations
            WHERE issuer = ${issuer} AND id = ${id} AND account = ${account}`;
        const [row] = await db.rows(statement, 'configuration_find', lifetime);
        return row;
    }

    return {
        async insert(configuration, lifetime) {
            const { account, issuer, id, definition, created_at } = configuration;
            // Calls at the same time may exceed the maximum by their number.
            const statement = sql.unsafe`
                INSERT INTO exchange.configurations (issuer, id, account, definition, created_at)
                SELECT ${issuer}::uuid, ${id}, ${account}::uuid, ${definitionText(definition)}::jsonb,
                    ${created_at}::timestamptz
                WHERE (SELECT count(*) FROM exchange.configurations WHERE issuer = ${issuer}) < ${MAX_CONFIGURATIONS}
                ON CONFLICT (issuer, id) DO NOTHING RETURNING id`;
            if ((await db.rows(statement, 'configuration_insert', lifetime)).length > 0) return 'written';
            return (await find(configuration, lifetime)) ? 'exists' : 'full';
        },
        list({ account, issuer }, lifetime) {
            const statement = sql.type(configurationRow)`
                SELECT ${CONFIGURATION} FROM exchange.configurations
                WHERE issuer = ${issuer} AND account = ${account} ORDER BY id`;
            return db.rows(statement, 'configuration_list', lifetime);
        },
        listAll({ account, after: { issuer, id } = { issuer: FIRST_ID, id: '' }, limit }, lifetime) {
            // One range of an index of (account, issuer). It compares tuples, as in account-pages.store.ts.
            const statement = sql.type(configurationRow)`
                SELECT ${CONFIGURATION} FROM exchange.configurations
                WHERE (account, issuer) >= (${account}, ${issuer}) AND (account, issuer) <= (${account}, ${LAST_ID})
                    AND (issuer, id) > (${issuer}, ${id})
                ORDER BY account, issuer, id LIMIT ${limit}`;
            return db.rows(statement, 'configuration_list_all', lifetime);
        },
        find,
        remove: (own, lifetime) => db.transaction((queries) => removed(queries, own), 'configuration_delete', lifetime),
    };
}

/**
 * Its offers end with it: another configuration with this id might mean something else. They end at the time at which they
 * were made, so that they have also ended for a call that has read the clock before.
 */
async function removed({ rows }: Queries, { account, issuer, id }: OwnConfiguration): Promise<boolean> {
    const gone = await rows(sql.unsafe`
        DELETE FROM exchange.configurations
        WHERE issuer = ${issuer} AND id = ${id} AND account = ${account} RETURNING id`);
    if (gone.length === 0) return false;
    // A statement of its own sees the offers for which the first one has waited (offers.store.ts).
    await rows(sql.unsafe`
        UPDATE exchange.offers
        SET expires_at = least(expires_at, created_at), token_expires_at = least(token_expires_at, created_at)
        WHERE account = ${account} AND issuer = ${issuer} AND configuration = ${id}`);
    return true;
}
