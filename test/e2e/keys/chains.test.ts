import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Call, expectOk, send } from '../support/client.ts';
import { within } from '../support/slowness.ts';
import { newAccount } from '../support/world.ts';

/** Active keys that a free account may have, calls per minute of a free key, and the length of a window (ms). */
const PLACES = 20;
const LIMIT = 10;
const WINDOW_MS = 60_000;

it('no chain of generated, rotated, expired and revoked keys admits more calls than the keys that a free account may have', () =>
    within(WINDOW_MS, async () => {
        const { token } = await newAccount();
        const generate: Call = {
            method: 'POST',
            path: '/v1/keys/generate',
            token,
            body: { name: 'key', tier: 'free' },
        };
        let admitted = 0;
        const use = async (apiKey: string): Promise<void> => {
            const calls = Array.from({ length: 4 }, (_, gateway) =>
                send({ path: '/v1/did/did:web:x', token: apiKey, gateway: gateway % 2 }),
            );
            admitted += (await Promise.all(calls)).filter(({ status }) => status === 400).length;
        };
        const rotate = async (keyId: string) => {
            const body = { overlap_seconds: 2_592_000 };
            return expectOk(201, { method: 'POST', path: `/v1/keys/${keyId}/rotate`, token, body });
        };
        /** Uses a place up with one key after the other. */
        const exhaust = async (): Promise<void> => {
            const first = await expectOk(201, generate);
            await use(first.api_key);
            const second = await rotate(first.key_id);
            const third = await rotate(second.key_id);
            for (const { api_key } of [first, second, third]) await use(api_key);
            for (const { key_id } of [third, second]) {
                await expectOk(200, { method: 'DELETE', path: `/v1/keys/${key_id}`, token });
            }
            await use((await expectOk(201, generate)).api_key);
        };
        await Promise.all(Array.from({ length: PLACES }, exhaust));
        const { quotas } = await expectOk(200, { path: '/v1/me/quotas', token });
        assert.deepEqual([quotas.active_api_keys.used, quotas.api_keys.used], [PLACES, 4 * PLACES]);
        assert.ok(admitted <= PLACES * LIMIT, `${admitted} calls were admitted`);
    }));
