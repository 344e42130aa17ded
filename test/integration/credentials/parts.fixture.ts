import type { Database } from '../../../platform/postgres/db.ts';
import { migrate } from '../../../platform/postgres/migrate.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { CredentialsServiceDefinition } from '../../../proto/gen/credentials/v1/credentials.ts';
import { batches } from '../../../services/credentials/batches.ts';
import { partOfIssuer } from '../../../services/credentials/parts/part-map.ts';
import { arrangeParts, partMapIn } from '../../../services/credentials/parts/parts.store.ts';
import { partsIn } from '../../../services/credentials/parts/parts.ts';
import { credentialsService } from '../../../services/credentials/service.ts';
import { idempotencies } from '../../../services/idempotency/idempotency.ts';
import { schemasOf } from '../../../services/schemas.ts';
import { openedDatabase, quiet, testDatabase } from '../../support/harness.ts';
import { reached } from '../services/reached.ts';
import { type Credentials, newParty, type Party, startServices } from './credentials.fixture.ts';

export type Databases = [Database, ...Database[]];

export const services = await startServices();
const { did, signing, dependencies } = services;

export async function databases(count: number): Promise<Databases> {
    const made: Database[] = [];
    for (let n = 0; n < count; n++) made.push((await testDatabase()).db);
    return made as Databases;
}

/** Parts that are schemas of one database. */
export async function schemasOfOne(count: number): Promise<Databases> {
    const { db, url } = await testDatabase();
    const made: Databases = [db];
    for (let part = 1; part < count; part++) {
        const partUrl = `${url}?schema=credentials_${part}`;
        await migrate(partUrl, { schemas: schemasOf(partUrl), log: quiet });
        made.push(await openedDatabase(partUrl));
    }
    return made;
}

/** Parts whose statements are those for a Citus. */
export async function partsOfCitus(count: number): Promise<Databases> {
    const made: Database[] = [];
    for (let n = 0; n < count; n++) made.push(await openedDatabase((await testDatabase()).url, true));
    return made as Databases;
}

/** Starts a process of the credentials service with these parts. */
export async function serve(parts: Databases): Promise<Credentials> {
    const config = loadConfig({ IDEMPOTENCY_PEPPER: 'the pepper of this test' });
    const idempotency = idempotencies({ config, databasesOf: () => parts, metrics: createMetrics(), clock: Date.now });
    return reached(
        CredentialsServiceDefinition,
        credentialsService({
            ...dependencies,
            batches: batches(createMetrics()),
            idempotency: idempotency('credentials'),
            parts: partsIn(parts, await partMapIn(parts)),
            services: { did, signing },
            listScope: 'owner',
        }),
    );
}

/** Arranges the parts, and starts a process with them. */
export async function arranged(parts: Databases): Promise<Credentials> {
    await arrangeParts(parts);
    return serve(parts);
}

/** An account whose DID is an issuer of this part among `count`. */
export async function issuerIn(part: number, count: number): Promise<Party> {
    for (;;) {
        const party = await newParty(did);
        if (partOfIssuer(party.did, count) === part) return party;
    }
}
