import { z } from 'zod';
import { databaseUrlSetting, databaseUrlsSetting } from '../postgres/database-url.ts';
import { notes, whole } from './setting-notes.ts';

/** The settings of PostgreSQL that are not those of one role. */
export const DATABASE_SETTINGS = {
    DATABASE_URL: databaseUrlSetting.meta(
        notes(
            'PostgreSQL and Redis',
            'URL of PostgreSQL, as `postgresql://user:password@host:5432/database` ([parameters](../operations/deploy.md#the-url-of-postgresql)).',
            {
                secret: true,
                default: 'the embedded PostgreSQL of the launchers',
            },
        ),
    ),
    CREDENTIAL_PARTS: databaseUrlsSetting('credentials').meta(
        notes(
            'PostgreSQL and Redis',
            'URLs of the databases, or with `?schema=credentials_1` of the schemas, over which the credentials are divided ([parts](../operations/grow.md#credentials-in-parts)). Separate them by commas or line breaks. The order is part of the setting. The processes of credentials and usage, and `migrate` need it.',
            { secret: true, default: 'one part, in `DATABASE_URL_CREDENTIALS`' },
        ),
    ),
    DATABASE_POOL: whole(1, 100)
        .default(4)
        .meta(notes('PostgreSQL and Redis', 'Maximum number of connections to PostgreSQL per process.')),
    DATABASE_POOLER: z
        .enum(['none', 'transaction'])
        .default('none')
        .meta(
            notes(
                'PostgreSQL and Redis',
                '`transaction`: a pooler such as PgBouncer assigns a connection for one transaction at a time.',
            ),
        ),
};
