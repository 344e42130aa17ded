import { ConfigError } from '../../../platform/process/config.ts';
import { askProvider, KEY_BYTES, type Kek, ProviderFailure } from './kek.ts';

/** How long one attempt may take, in milliseconds. Beyond it: the next attempt, or `unavailable`. */
const ATTEMPT_TIMEOUT_MS = 1_400;
/** Maximum number of attempts. Beyond it: `unavailable`. */
const MAX_ATTEMPTS = 2;

/** What KMS says if the ciphertext was changed, has another encryption context, or was made with another key. */
const REFUSED = ['InvalidCiphertextException', 'IncorrectKeyException'];

/**
 * A symmetric key of AWS KMS. `name` is `aws-kms:<arn>`. The owner of a data key is its encryption context. The SDK
 * finds the credentials, for example those of the pod's service account. Throws ConfigError if the SDK is not installed.
 */
export function awsKmsKek(name: string): Kek {
    const arn = name.slice('aws-kms:'.length);
    const [, , , region = ''] = arn.split(':');
    assertInstalled();
    let loaded: ReturnType<typeof loadKms> | undefined;
    const kms = () => {
        loaded ??= loadKms(region);
        return loaded;
    };
    return {
        name,
        wrap: (dataKey, owner) =>
            askProvider('aws-kms', async (abortSignal) => {
                const { client, EncryptCommand } = await kms();
                const input = { KeyId: arn, Plaintext: dataKey, EncryptionContext: { account: owner } };
                const answer = client.send(new EncryptCommand(input), { abortSignal });
                const { CiphertextBlob: wrapped } = await answer.catch(rethrowNamed);
                if (!wrapped) throw new ProviderFailure('AWS KMS returned no ciphertext');
                return Buffer.from(wrapped);
            }),
        unwrap: (wrapped, owner) =>
            askProvider('aws-kms', async (abortSignal) => {
                const { client, DecryptCommand } = await kms();
                const input = { KeyId: arn, CiphertextBlob: wrapped, EncryptionContext: { account: owner } };
                const answer = client.send(new DecryptCommand(input), { abortSignal });
                return await answer.then(dataKeyOf, undefinedIfRefused);
            }),
    };
}

function assertInstalled(): void {
    try {
        import.meta.resolve('@aws-sdk/client-kms');
    } catch {
        throw new ConfigError('KEK_PROVIDER names a key of AWS KMS, which needs the package @aws-sdk/client-kms.');
    }
}

/** Loads the SDK when it is needed. It takes 30 MB of memory. */
async function loadKms(region: string) {
    const { KMSClient, EncryptCommand, DecryptCommand } = await import('@aws-sdk/client-kms');
    const client = new KMSClient({
        region,
        maxAttempts: MAX_ATTEMPTS,
        requestHandler: {
            connectionTimeout: ATTEMPT_TIMEOUT_MS,
            requestTimeout: ATTEMPT_TIMEOUT_MS,
            throwOnRequestTimeout: true,
        },
    });
    return { client, EncryptCommand, DecryptCommand };
}

function dataKeyOf({ Plaintext: plain }: { Plaintext?: Uint8Array | undefined }): Buffer {
    if (plain?.length !== KEY_BYTES) throw new ProviderFailure('AWS KMS returned no data key');
    return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
}

/** The text of the SDK's errors may contain a part of the request, so only their name is kept. */
function rethrowNamed(error: unknown): never {
    throw new ProviderFailure(`AWS KMS failed: ${Error.isError(error) ? error.name : typeof error}`);
}

function undefinedIfRefused(error: unknown): undefined {
    if (Error.isError(error) && REFUSED.includes(error.name)) return undefined;
    return rethrowNamed(error);
}
