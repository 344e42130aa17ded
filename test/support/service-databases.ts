import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { databaseSetting } from '../../platform/process/role-settings.ts';
import { SERVICE_ROLES } from '../../proto/services.ts';

/** A service whose roles have databases of their own has two for its credentials, each with the schemas of two parts. */
const CREDENTIAL_DATABASES = 2;

export interface ServiceDatabases {
    adminUrl: string;
    databaseUrl: string;
    /** Each service has a database of its own, which is a copy of this one. Default: all have the same. */
    roleTemplate?: string | undefined;
    /** `databaseUrl` is a database on a Citus, whose schemas are distributed, with this many parts of the credentials. */
    citus?: { parts: number } | undefined;
}

/**
 * Creates the database of a tested service, and with a template one for each role, and for each part of the
 * credentials. It is a copy of the migrated template if the server is that of the test run. `at` returns the settings
 * with their URLs on the server or pooler of a URL. A Citus is used as it is. `isMigrated`: the migrations have nothing to do.
 */
export async function createDatabases({ adminUrl, databaseUrl, roleTemplate, citus }: ServiceDatabases) {
    if (citus) {
        const CREDENTIAL_PARTS = partsOf(databaseUrl, { first: 0, count: citus.parts }).join(',');
        const settings = { DATABASE_URL: databaseUrl, CREDENTIAL_PARTS };
        return { isMigrated: false, at: () => settings, drop: async () => {} };
    }
    const run = `e2e_${randomBytes(4).toString('hex')}`;
    const names: Record<string, string[]> = { DATABASE_URL: [run] };
    const { TEST_ADMIN_URL, TEST_TEMPLATE } = process.env;
    const isCopy = adminUrl === TEST_ADMIN_URL && TEST_TEMPLATE !== undefined;
    await create(run, isCopy ? TEST_TEMPLATE : 'template1');
    if (roleTemplate !== undefined) {
        const roles = SERVICE_ROLES.filter((role) => role !== 'credentials');
        for (const role of roles) names[databaseSetting(role)] = [`${run}_${role}`];
        names['CREDENTIAL_PARTS'] = Array.from({ length: CREDENTIAL_DATABASES }, (_, n) => `${run}_credentials_${n}`);
        for (const name of Object.values(names).flat().slice(1)) await create(name, roleTemplate);
    }
    return {
        isMigrated: isCopy && roleTemplate === undefined, // the migrations also arrange the parts
        at(url: string): Record<string, string> {
            const inDatabase = (name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
            const urlsOf = (setting: string, own: string[]): string[] =>
                setting === 'CREDENTIAL_PARTS'
                    ? own.flatMap((name, n) => partsOf(inDatabase(name), { first: 2 * n, count: 2 }))
                    : own.map(inDatabase);
            const settings = Object.entries(names);
            return Object.fromEntries(settings.map(([setting, own]) => [setting, urlsOf(setting, own).join(',')]));
        },
        async drop(): Promise<void> {
            for (const name of Object.values(names).flat())
                await execute(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
        },
    };

    function create(name: string, template: string): Promise<void> {
        return execute(adminUrl, `CREATE DATABASE ${name} OWNER credentials TEMPLATE ${template}`);
    }
}

/** The URLs of some parts that are schemas of one database. The first one is in the schema of the service. */
function partsOf(url: string, { first, count }: { first: number; count: number }): string[] {
    return Array.from({ length: count }, (_, n) => {
        const part = new URL(url);
        if (n > 0) part.searchParams.set('schema', `credentials_${first + n}`);
        return part.href;
    });
}

async function execute(url: string, statement: string): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
}
