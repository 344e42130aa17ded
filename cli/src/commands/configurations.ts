import type { ConfigurationsCreateInput } from '../../../client/src/client.ts';
import { command } from '../command.ts';
import { textArgument } from '../input.ts';
import { parseObject } from '../json-input.ts';
import { fieldsReport, tableReport } from '../report.ts';

const ISSUER = { summary: 'Id of the issuer, from "cred issuers list"' } as const;
const ID = { summary: 'Id of the configuration, from "cred configurations list"' } as const;
const EXAMPLE_ISSUER = '01a1faed-b50a-7000-8f70-7b9d71ab9b89';

export const configurationsCreate = command({
    name: 'configurations create',
    summary: 'Describe a kind of credential that a did:web issuer offers to wallets',
    details: 'Anybody can read it in the metadata of the issuer.',
    positionals: { issuer: ISSUER, configuration: { summary: 'Id of the configuration, such as membership' } },
    options: {
        vct: { value: 'URI', summary: 'Type of the credentials', required: true },
        more: {
            value: 'JSON',
            summary: 'An object with display, claims, max_keys and proof_algs, or @FILE, or - for standard input',
        },
    },
    examples: [
        {
            line: `cred configurations create ${EXAMPLE_ISSUER} membership --vct https://club.example/membership --more '{"display":[{"name":"Membership"}]}'`,
        },
    ],
    async run({ args: { issuer, configuration }, options: { vct, more = '{}' }, world, service }) {
        const described = parseObject(await textArgument(more, '--more', world), 'The value of --more');
        const input = { ...described, issuer_id: issuer, configuration_id: configuration, format: 'dc+sd-jwt', vct };
        const created = await (await service()).configurations.create(input as ConfigurationsCreateInput); // the service checks it
        const { configuration_id, max_keys, created_at } = created;
        return fieldsReport(created, { configuration_id, vct: created.vct, max_keys, created_at });
    },
});

export const configurationsList = command({
    name: 'configurations list',
    summary: 'List what an issuer offers to wallets',
    positionals: { issuer: ISSUER },
    examples: [{ line: `cred configurations list ${EXAMPLE_ISSUER}` }],
    async run({ args: { issuer }, service }) {
        const list = await (await service()).configurations.list({ issuer_id: issuer });
        const rows = list.configurations.map(({ configuration_id, vct, display, max_keys, created_at }) => ({
            configuration: configuration_id,
            vct,
            name: display[0]?.name,
            max_keys,
            created: created_at,
        }));
        return tableReport(list, rows, 'This issuer offers nothing. See "cred configurations create".');
    },
});

export const configurationsDelete = command({
    name: 'configurations delete',
    summary: 'Delete a configuration: its offers end',
    positionals: { issuer: ISSUER, configuration: ID },
    examples: [{ line: `cred configurations delete ${EXAMPLE_ISSUER} membership` }],
    async run({ args: { issuer, configuration }, service }) {
        const { configurations } = await service();
        const deleted = await configurations.delete({ issuer_id: issuer, configuration_id: configuration });
        return fieldsReport(deleted, { deleted: deleted.configuration_id });
    },
});
