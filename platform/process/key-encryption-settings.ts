import { z } from 'zod';
import { decodeBase64 } from '../base64.ts';
import { baseUrlSetting } from './base-url.ts';
import { notes } from './setting-notes.ts';

const GROUP = 'Keys of managed issuers';
const KEY_BYTES = 32;

const kek = z.string().transform((text, context) => {
    const bytes = decodeBase64(text);
    if (bytes?.length === KEY_BYTES) return bytes;
    context.addIssue({ code: 'custom', message: `must be ${KEY_BYTES} bytes in base64, or several such keys` });
    return z.NEVER;
});

/** Settings of the keys that wrap the data keys of managed issuers. */
export const KEY_ENCRYPTION_SETTINGS = {
    KEK: z
        .string()
        .transform((text) => text.trim().split(/[\s,]+/))
        .pipe(z.tuple([kek], kek))
        .optional()
        .meta(
            notes(
                GROUP,
                'Key-encryption keys: 32 random bytes each, in base64. Separate several keys by commas or line breaks. The first key wraps the data keys of managed issuers, unless `KEK_PROVIDER` is set. All keys unwrap. Only the role `signing` needs it.',
                { secret: true, default: 'generated once by the launchers' },
            ),
        ),
    KEK_PROVIDER: z
        .string()
        .regex(
            /^(vault:[\w-]+(\/[\w-]+)*\/[\w-]+|aws-kms:arn:[a-z-]+:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+)$/,
            'must be vault:<mount>/<key>, or aws-kms: and the ARN of a key',
        )
        .optional()
        .meta(
            notes(
                GROUP,
                'Service that wraps data keys instead of the first key in `KEK`: `vault:<mount>/<key>` is a key of the transit engine of Vault or OpenBao, `aws-kms:<arn>` is a symmetric key of AWS KMS.',
                { default: 'none: the first key in `KEK` wraps' },
            ),
        ),
    VAULT_ADDR: baseUrlSetting.meta(
        notes(
            GROUP,
            'URL of Vault or OpenBao, such as `https://vault.example:8200`. Production accepts http only for an agent on the same machine (`127.0.0.1`, `localhost`).',
        ),
    ),
    VAULT_TOKEN: z
        .string()
        .min(1)
        .optional()
        .meta(
            notes(
                GROUP,
                'Token for Vault or OpenBao. The file that `VAULT_TOKEN_FILE` names is read again for each call, because agents renew it.',
                { secret: true },
            ),
        ),
};
