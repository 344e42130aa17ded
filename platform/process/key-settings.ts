import { z } from 'zod';
import { notes, whole } from './setting-notes.ts';
import { tierSetting } from './tier-setting.ts';

const MIB = 2 ** 20;

/** Settings of API keys, and the quotas of accounts. */
export const KEY_SETTINGS = {
    KEY_BRAND: z
        .string()
        .regex(/^[a-z]{2,12}$/)
        .default('cred')
        .meta(notes('API keys and quotas', 'API keys begin with `<brand>_live_` or `<brand>_test_`.')),
    KEY_ENVIRONMENT: z
        .enum(['live', 'test'])
        .default('test')
        .meta(notes('API keys and quotas', 'The kind of API keys that this deployment creates and accepts.')),
    KEY_TIER_POLICY: z
        .enum(['any', 'cap'])
        .optional()
        .meta(
            notes('API keys and quotas', '`any`: a key may have a higher tier than its account. `cap`: it may not.', {
                default: '`cap` for live keys, else `any`; production refuses to start with test keys and no policy',
            }),
        ),
    KEY_LIMIT_FREE: activeKeys('free', 20),
    KEY_LIMIT_BASIC: activeKeys('basic', 50),
    KEY_LIMIT_PRO: activeKeys('pro', 200),
    KEY_LIMIT_ENTERPRISE: activeKeys('enterprise', 1_000),
    QUOTA_KEYS: tierSetting({ free: 10_000, basic: 20_000, pro: 50_000, enterprise: 100_000 }).meta(
        quota('Maximum number of API keys of an account, including revoked ones.'),
    ),
    QUOTA_DIDS: tierSetting({ free: 10_000, basic: 100_000, pro: 1e6, enterprise: 10e6 }).meta(
        quota('Maximum number of DIDs that an account may create and register, about.'),
    ),
    QUOTA_ISSUERS: tierSetting({ free: 20, basic: 50, pro: 200, enterprise: 1_000 }).meta(
        quota('Maximum number of managed issuers of an account, including archived ones.'),
    ),
    QUOTA_CREDENTIALS: issued().meta(
        quota('Maximum number of credentials that an account may issue, about; revoked ones count.'),
    ),
    QUOTA_PRESENTATIONS: issued().meta(quota('Maximum number of presentations that an account may create, about.')),
    QUOTA_WALLETS: tierSetting({ free: 1_000, basic: 10_000, pro: 100_000, enterprise: 1_000_000 }).meta(
        quota('Maximum number of wallets of an account, about.'),
    ),
    QUOTA_WALLET_CREDENTIALS: tierSetting({ free: 10_000, basic: 100_000, pro: 1e6, enterprise: 10e6 }).meta(
        quota('Maximum number of credentials in all wallets of an account, about.'),
    ),
    QUOTA_WALLET_BYTES: tierSetting({
        free: 256 * MIB,
        basic: 1_024 * MIB,
        pro: 10_240 * MIB,
        enterprise: 102_400 * MIB,
    }).meta(quota('Maximum total size of the sealed credentials in all wallets of an account, in bytes, about.')),
    QUOTA_WEBHOOKS: tierSetting({ free: 5, basic: 20, pro: 50, enterprise: 200 }).meta(
        quota('Maximum number of webhooks of an account.'),
    ),
    QUOTA_OFFERS: tierSetting({ free: 100, basic: 1_000, pro: 20_000, enterprise: 200_000 }).meta(
        quota('Maximum number of offers of an account; they are removed a day after they have expired.'),
    ),
    QUOTA_SESSIONS: tierSetting({ free: 200, basic: 500, pro: 1_000, enterprise: 2_000 }).meta(
        quota('Maximum number of open sessions of an account. A further login ends the oldest session.'),
    ),
};

function activeKeys(tier: string, byDefault: number) {
    return whole(1, 1_000_000)
        .default(byDefault)
        .meta(notes('API keys and quotas', `Maximum number of active API keys of an account with tier ${tier}.`));
}

/** So generous that only an account that fills the database reaches it. */
function issued() {
    return tierSetting({ free: 10e6, basic: 20e6, pro: 50e6, enterprise: 100e6 });
}

function quota(help: string) {
    return notes('API keys and quotas', `${help} Set by tier; a tier that is not named keeps its default.`);
}
