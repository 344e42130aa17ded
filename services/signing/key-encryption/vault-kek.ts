import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Config, required } from '../../../platform/process/config.ts';
import { askProvider, KEY_BYTES, type Kek, ProviderFailure } from './kek.ts';

/** Maximum size of an answer, in bytes. Vault's answers have less than 1 KiB. Beyond it: `unavailable`. */
const MAX_ANSWER_BYTES = 64 << 10;

/** What Vault and OpenBao say if the ciphertext was changed, or if its associated data is different. */
const REFUSED = /message authentication failed|invalid ciphertext/;

const ENCRYPTED = z.object({ data: z.object({ ciphertext: z.string().startsWith('vault:') }) });
const DECRYPTED = z.object({ data: z.object({ plaintext: z.base64() }) });

/**
 * A key of the transit engine of Vault (1.13 or newer) or OpenBao. `name` is `vault:<mount>/<key>`. The owner of a data
 * key is its associated data. Throws ConfigError if a setting is missing.
 */
export function vaultKek(name: string, config: Config): Kek {
    const [, mount, key] = /^vault:(.*)\/([^/]*)$/.exec(name) ?? [];
    const base = `${required(config, 'VAULT_ADDR')}/v1/${mount}`;
    const readToken = tokenReader(config);
    const post = async (operation: 'encrypt' | 'decrypt', body: object, signal: AbortSignal) => {
        const response = await fetch(`${base}/${operation}/${key}`, {
            method: 'POST',
            headers: {
                'Content-Type': 'application/json',
                'X-Vault-Request': 'true', // agents may require it
                'X-Vault-Token': await readToken(signal),
            },
            body: JSON.stringify(body),
            redirect: 'manual', // the token is for this host only
            signal,
        });
        return { status: response.status, text: await boundedText(response) };
    };
    return {
        name,
        wrap: (dataKey, owner) =>
            askProvider('vault', async (signal) => {
                const body = { plaintext: base64(dataKey), associated_data: base64(Buffer.from(owner)) };
                const { status, text } = await post('encrypt', body, signal);
                return Buffer.from(parsed(ENCRYPTED, status, text).data.ciphertext);
            }),
        unwrap: (wrapped, owner) =>
            askProvider('vault', async (signal) => {
                const ciphertext = Buffer.from(wrapped).toString();
                const body = { ciphertext, associated_data: base64(Buffer.from(owner)) };
                const { status, text } = await post('decrypt', body, signal);
                if (status !== 200 && REFUSED.test(text)) return undefined;
                const dataKey = Buffer.from(parsed(DECRYPTED, status, text).data.plaintext, 'base64');
                if (dataKey.length !== KEY_BYTES) throw new ProviderFailure('Vault returned no data key');
                return dataKey;
            }),
    };
}

/** Returns a function that reads the token, from its file if there is one, because agents renew it. */
function tokenReader(config: Config): (signal: AbortSignal) => Promise<string> {
    const { VAULT_TOKEN_FILE: file } = config;
    const token = required(config, 'VAULT_TOKEN');
    return async (signal) => (file === undefined ? token : (await readFile(file, { encoding: 'utf8', signal })).trim());
}

async function boundedText(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) throw new ProviderFailure('the answer of Vault is too large');
        chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
}

function parsed<Form>(form: z.ZodType<Form>, status: number, text: string): Form {
    if (status !== 200) throw new ProviderFailure(`Vault answered ${status}`);
    try {
        return form.parse(JSON.parse(text));
    } catch {
        throw new ProviderFailure('Vault answered in another form');
    }
}

function base64(bytes: Uint8Array): string {
    return Buffer.from(bytes).toString('base64');
}
