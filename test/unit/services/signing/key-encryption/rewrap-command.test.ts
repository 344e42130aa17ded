import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { ConfigError, loadConfig } from '../../../../../platform/process/config.ts';
import { rewrap } from '../../../../../services/signing/key-encryption/rewrap-command.ts';

it('keys:rewrap refuses options that it does not have, and a time that is none', async () => {
    const config = loadConfig({ KEK: randomBytes(32).toString('base64') });
    for (const args of [
        ['--replace'],
        ['kek-0123456789abcdef'],
        ['--abandon'],
        ['--replace-before', 'yesterday'],
        ['--replace-before', '2026-11-25T12:00:00'],
        ['--replace-before', '2026-11-25T12:00:00Z', '--abandon', 'kek-0123456789abcdef'],
    ]) {
        const command = { config, args, print: () => {}, abandonLists: async () => 0 };
        await assert.rejects(
            rewrap(command),
            (error) => error instanceof ConfigError && error.message.startsWith('The options are '),
        );
    }
});
