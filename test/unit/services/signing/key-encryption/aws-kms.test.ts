import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { beforeEach, describe, it } from 'node:test';
import { ConfigError, loadConfig } from '../../../../../platform/process/config.ts';
import { createMetrics } from '../../../../../platform/telemetry/metrics.ts';
import { type KeyEncryption, keyEncryption } from '../../../../../services/signing/key-encryption/key-encryption.ts';
import { ACCOUNT, DATA_KEY, OTHER, startKms, unavailable, unreadable } from './providers.fixture.ts';

const ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

const kms = await startKms(ARN);
// The SDK reads its own settings from the environment.
Object.assign(process.env, {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'the secret access key',
});

function encryption(arn = ARN): KeyEncryption {
    return keyEncryption({ config: loadConfig({ KEK_PROVIDER: `aws-kms:${arn}` }), metrics: createMetrics() });
}

describe('a key-encryption key in AWS KMS', () => {
    beforeEach(() => {
        kms.mood = 'well';
        kms.requests.length = 0;
    });

    it('unwraps what it has wrapped, for the same account only', async () => {
        const keys = encryption();
        for (const account of [ACCOUNT, null]) {
            const stored = await keys.wrap(DATA_KEY, account);
            assert.equal(stored.kek, `aws-kms:${ARN}`);
            assert.deepEqual(await keys.unwrap(stored, account), DATA_KEY);
            await assert.rejects(keys.unwrap(stored, OTHER), unreadable(/belongs to another account/));
        }
        assert.deepEqual(kms.requests[0]?.body['EncryptionContext'], { account: ACCOUNT });
    });

    it('refuses a data key that was changed', async () => {
        const keys = encryption();
        const { kek, wrapped } = await keys.wrap(DATA_KEY, ACCOUNT);
        const changed = Buffer.from(wrapped);
        changed[30] = (changed[30] ?? 0) ^ 1;
        await assert.rejects(keys.unwrap({ kek, wrapped: changed }, ACCOUNT), unreadable(/was changed/));
    });

    it('is unavailable if KMS refuses or fails, after at most two attempts', async () => {
        const keys = encryption();
        const stored = await keys.wrap(DATA_KEY, ACCOUNT);
        const unknown = encryption(ARN.replace('1234abcd', 'ffffffff'));
        await assert.rejects(
            unknown.wrap(DATA_KEY, ACCOUNT),
            unavailable('kek aws-kms', /^AWS KMS failed: NotFoundException$/),
        );
        for (const mood of [400, 403, 500, 503, 'cut off', 'nonsense'] as const) {
            kms.mood = mood;
            kms.requests.length = 0;
            await assert.rejects(keys.unwrap(stored, ACCOUNT), unavailable('kek aws-kms', /^AWS KMS failed: \w+$/));
            assert.ok(kms.requests.length <= 2, `${kms.requests.length} attempts`);
        }
    });

    it('is unavailable after three seconds without an answer', async () => {
        kms.mood = 'silent';
        const expected = unavailable('kek aws-kms', /^AWS KMS failed: TimeoutError$|^no answer within 3000 ms$/);
        await assert.rejects(encryption().wrap(DATA_KEY, ACCOUNT), expected);
    });

    it('is refused at the start if the SDK is not installed', () => {
        const hooks = registerHooks({
            resolve(specifier, context, next) {
                if (specifier === '@aws-sdk/client-kms') throw new Error('not installed');
                return next(specifier, context);
            },
        });
        try {
            assert.throws(
                encryption,
                (error) => error instanceof ConfigError && /@aws-sdk\/client-kms/.test(error.message),
            );
        } finally {
            hooks.deregister();
        }
    });
});
