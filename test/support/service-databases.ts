import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { databaseSetting } from '../../platform/process/role-settings.ts';
import { SERVICE_ROLES } from '../../proto/services.ts';

/**
 * Creates the database of a tested service, and with a template one for each role. It is a copy of the migrated template
 * if the server is that of the test run. `at` returns the settings with their URLs on the server or pooler of a URL.
 */
export async function createDatabases({
    adminUrl,
    roleTemplate,
}: {
    adminUrl: string;
    roleTemplate?: string | undefined;
}) {
    const run = `e2e_${randomBytes(4).toString('hex')}`;
    const names: Record<string, string> = { DATABASE_URL: run };
    const { TEST_ADMIN_URL, TEST_TEMPLATE } = process.env;
    const isMigrated = adminUrl === TEST_ADMIN_URL && TEST_TEMPLATE !== undefined;
    await execute(
        adminUrl,
        `CREATE DATABASE ${run} OWNER credentials TEMPLATE ${isMigrated ? TEST_TEMPLATE : 'template1'}`,
    );
    for (const role of roleTemplate === undefined ? [] : SERVICE_ROLES) {
        const name = `${run}_${role}`;
        await execute(adminUrl, `CREATE DATABASE ${name} OWNER credentials TEMPLATE ${roleTemplate}`);
        names[databaseSetting(role)] = name;
    }
    return {
        isMigrated,
        at(url: string): Record<string, string> {
            const inDatabase = (name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
            return Object.fromEntries(Object.entries(names).map(([setting, name]) => [setting, inDatabase(name)]));
        },
        async drop(): Promise<void> {
            for (const name of Object.values(names)) await execute(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
        },
    };
}

async function execute(url: string, statement: string): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
}
