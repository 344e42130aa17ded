import { parseArgs } from 'node:util';
import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { type Database, databaseOpener } from '../../../platform/postgres/db.ts';
import { type Config, ConfigError, databaseUrl, databaseUrls } from '../../../platform/process/config.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { abandonStore } from './abandon.store.ts';
import { abandon } from './abandon.ts';
import { keyEncryption } from './key-encryption.ts';
import { replaceDataKeys } from './replace-data-keys.ts';
import { replacementStore } from './replacement.store.ts';
import { rewrapStore } from './rewrap.store.ts';
import { causeOf, NotRewrapped, rewrapAll } from './rewrap.ts';

const USAGE =
    'The options are --abandon <name of a key-encryption key, or id of a data key> or --replace-before <time>.';

/** What an operator asks for, instead of wrapping all data keys with the current key-encryption key. */
interface Asked {
    /** Give up what this key-encryption key wraps, or this data key. */
    abandon?: string | undefined;
    /** Make new data keys in the place of those from before this time. */
    replaceBefore?: string | undefined;
}

/** Runs `npm run keys:rewrap`. Throws ConfigError or NotRewrapped. */
export async function rewrap(command: {
    config: Config;
    args: readonly string[];
    /** Prints one line. */
    print(line: string): void;
    /** Gives up the status lists that this DID has signed, in a database of credentials. Returns how many they are. */
    abandonLists(credentials: Database, issuerDid: string): Promise<number>;
}): Promise<void> {
    const { config, args, print, abandonLists } = command;
    const asked = askedIn(args);
    const metrics = createMetrics();
    const keys = keyEncryption({ config, metrics });
    const open = databaseOpener({
        size: config.DATABASE_POOL,
        pooled: config.DATABASE_POOLER === 'transaction',
        metrics,
        checkRows: config.NODE_ENV === 'test',
    });
    const db = await open(databaseUrl(config, 'signing'));
    const credentials = await Promise.all(databaseUrls(config, 'credentials').map((url) => open(url)));
    try {
        if (asked.abandon !== undefined) {
            const giveUp = async (issuerDid: string) => {
                let lists = 0;
                for (const part of credentials) lists += await abandonLists(part, issuerDid);
                return lists;
            };
            await abandon(asked.abandon, { store: abandonStore(db), keys, print, abandonLists: giveUp });
        } else if (asked.replaceBefore !== undefined) {
            await replaceDataKeys(asked.replaceBefore, { store: replacementStore(db), keys, print });
        } else {
            await rewrapAll({ store: rewrapStore(db), keys, print });
        }
    } catch (error) {
        if (!(error instanceof AppError)) throw error;
        throw new NotRewrapped(`Interrupted: ${causeOf(error)}. Run this again; it continues where it was.`);
    } finally {
        await Promise.all([db, ...credentials].map((database) => database.close()));
    }
}

function askedIn(args: readonly string[]): Asked {
    const options = { abandon: { type: 'string' }, 'replace-before': { type: 'string' } } as const;
    try {
        const { abandon, 'replace-before': before } = parseArgs({ args: [...args], options }).values;
        if (abandon !== undefined && before !== undefined) throw new Error('two options');
        return { abandon, replaceBefore: before && z.iso.datetime({ offset: true }).parse(before) };
    } catch {
        throw new ConfigError(`${USAGE} A time is written as 2026-11-25T12:00:00Z.`);
    }
}
