import type { KeysGenerateInput } from '../../../client/src/client.ts';
import { TIERS } from '../../../proto/tiers.ts';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { fieldsReport, tableReport } from '../report.ts';

/** A whole number in an option. */
export function wholeNumber(text: string, option: string): number {
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw new CliError(`${option} must be a whole number.`);
}

export const keysCreate = command({
    name: 'keys create',
    summary: 'Create an API key',
    details: 'The key is shown only once. Without restrictions it may be used for everything and from everywhere.',
    positionals: { name: { summary: 'Display name of the key' } },
    options: {
        tier: { value: 'TIER', summary: 'Sets the rate limit; default: the tier of the account', choices: TIERS },
        expires: { value: 'DATE', summary: 'When it expires: a date and time with an offset' },
        scope: { value: 'SCOPE', summary: 'What it may be used for, such as credentials:issue', repeatable: true },
        allow: {
            value: 'NETWORK',
            summary: 'Network that it may be used from, such as 192.0.2.0/24',
            repeatable: true,
        },
    },
    examples: [
        { line: 'cred keys create "build server" --tier pro --scope credentials:issue --scope credentials:verify' },
    ],
    async run({ args: { name }, options: { tier, expires, scope, allow }, service }) {
        const input = {
            name,
            ...(tier !== undefined && { tier }),
            ...(expires !== undefined && { expires_at: expires }),
            ...(scope.length > 0 && { scopes: scope }),
            ...(allow.length > 0 && { allowed_addresses: allow }),
        };
        const key = await (await service()).keys.generate(input as KeysGenerateInput); // the service knows the scopes
        return fieldsReport(key, {
            key_id: key.key_id,
            api_key: key.api_key,
            limit: `${key.rate_limit} requests per minute`,
            expires_at: key.expires_at,
            scopes: key.scopes,
            allowed: key.allowed_addresses,
        });
    },
});

export const keysList = command({
    name: 'keys list',
    summary: 'List the API keys of the account',
    examples: [{ line: 'cred keys list' }],
    async run({ service }) {
        const list = await (await service()).keys.list();
        const rows = list.keys.map((key) => ({
            key_id: key.key_id,
            name: key.name,
            key: key.key_prefix,
            limit: key.rate_limit,
            active: key.active ? 'yes' : 'no',
            expires: key.expires_at,
            last_used: key.last_used_at,
        }));
        return tableReport(list, rows, 'There are no API keys. Create one with "cred keys create NAME".');
    },
});

export const keysRotate = command({
    name: 'keys rotate',
    summary: 'Replace an API key by a new one with the same rights',
    positionals: { id: { summary: 'Id of the key, from "cred keys list"' } },
    options: { overlap: { value: 'SECONDS', summary: 'How long the old key still works; default: one day' } },
    examples: [{ line: 'cred keys rotate 01a1faed-b50a-7000-8f70-7b9d71ab9b89 --overlap 3600' }],
    async run({ args: { id }, options: { overlap }, service }) {
        const input = {
            key_id: id,
            ...(overlap !== undefined && { overlap_seconds: wholeNumber(overlap, '--overlap') }),
        };
        const key = await (await service()).keys.rotate(input);
        return fieldsReport(key, { key_id: key.key_id, api_key: key.api_key, 'old key ends': key.replaces.expires_at });
    },
});

export const keysRevoke = command({
    name: 'keys revoke',
    summary: 'Revoke an API key for good',
    positionals: { id: { summary: 'Id of the key, from "cred keys list"' } },
    examples: [{ line: 'cred keys revoke 01a1faed-b50a-7000-8f70-7b9d71ab9b89' }],
    async run({ args: { id }, service }) {
        const revoked = await (await service()).keys.revoke({ key_id: id });
        return fieldsReport(revoked, { ...revoked });
    },
});
