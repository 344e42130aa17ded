import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeApiKey } from '../../../platform/access/api-key.ts';
import { expectError, expectOk } from '../support/client.ts';
import { newAccount, newKey } from '../support/world.ts';

const account = await newAccount();
const { api_key } = await newKey(account);
const PREFIX = api_key.slice(0, -32);
const body = api_key.slice(-32);
const brand = PREFIX.split('_')[0] as string; // the text before the first underscore

async function refused(token: string): Promise<void> {
    await expectError(401, { method: 'POST', path: '/v1/did', token });
}

it('a key consists of the prefix of its environment and 32 characters', () => {
    assert.match(api_key, /^[a-z]+_test_[0-9A-Za-z]{32}$/);
});

describe('a token that is not exactly a key is refused:', () => {
    const forms: Record<string, string> = {
        'the prefix alone': PREFIX,
        'the body alone': body,
        'a key without its last character': api_key.slice(0, -1),
        'a key with one more character': `${api_key}0`,
        'a key of 10,000 characters': PREFIX + 'A'.repeat(10_000),
        'the key twice': api_key + api_key,
        'another brand': `other_test_${body}`,
        'the other environment': `${brand}_live_${body}`,
        'no environment': `${brand}_${body}`,
        'the prefix in capitals': PREFIX.toUpperCase() + body,
        'the letter case swapped': PREFIX + swapCase(body),
        'the body in lower case': PREFIX + body.toLowerCase(),
        'a character that is not allowed in keys': `${PREFIX}-${body.slice(1)}`,
        'bytes beyond ASCII': `${PREFIX}${'\u00e9'.repeat(32)}`,
        'an empty segment': `${api_key}_`,
        'the masked key': `${api_key.slice(0, -28)}...${api_key.slice(-4)}`,
        'a well-formed but unknown key': makeApiKey({ brand, environment: 'test' }).api_key,
        'a well-formed but unknown key of the other environment': makeApiKey({ brand, environment: 'live' }).api_key,
    };
    for (const [name, token] of Object.entries(forms)) it(name, () => refused(token));

    it('a key with one changed character, at any place', async () => {
        for (let place = 0; place < body.length; place++) {
            const changed = body[place] === 'x' ? 'y' : 'x';
            await refused(PREFIX + body.slice(0, place) + changed + body.slice(place + 1));
        }
    });

    it('a key with two swapped characters', async () => {
        const place = [...body].findIndex((character, index) => character !== body[index + 1]);
        const [first, second] = [body[place], body[place + 1]];
        await refused(PREFIX + body.slice(0, place) + second + first + body.slice(place + 2));
    });
});

it('calls with a wrong character in a key neither affect the key nor count in its limit', async () => {
    const { api_key: fresh } = await newKey(account, 'free');
    for (let call = 0; call < 20; call++) await refused(`${fresh.slice(0, -1)}${fresh.endsWith('0') ? '1' : '0'}`);
    const did = await expectOk(201, { method: 'POST', path: '/v1/did', token: fresh });
    assert.ok(did.did);
});

function swapCase(text: string): string {
    return [...text]
        .map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
        .join('');
}
