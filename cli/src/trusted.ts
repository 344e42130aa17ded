import type { Client } from '../../client/src/client.ts';
import { CliError } from './errors.ts';
import { readKeyFile } from './secret.ts';
import { anonymous } from './session.ts';
import type { World } from './world.ts';

/** The option of a command for trusted callers. */
export const SECRET_FILE = { value: 'FILE', summary: 'File with the internal secret', file: true } as const;

/** A client with the internal secret in `file` or, without a file, in CRED_INTERNAL_SECRET. */
export function trusted(world: World, url: string | undefined, file: string | undefined): Client {
    const secret = file === undefined ? world.env['CRED_INTERNAL_SECRET'] : readKeyFile('--secret-file', file);
    if (secret) return anonymous(world, url, { internal_secret: secret });
    throw new CliError('This command needs the internal secret: CRED_INTERNAL_SECRET or --secret-file.');
}
