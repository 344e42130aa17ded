import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seals } from '../../../../services/signing/data-keys.ts';
import type { DataKeyRow, SigningStore } from '../../../../services/signing/rows.ts';
import { testContext } from '../../../support/context.ts';

const KEEP_MS = 600_000;
const MAX_KEPT = 1_000;

it('a data key that was displaced and unwrapped again is kept for its full time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const rows = new Map<string | null, DataKeyRow>();
    // Sealing needs nothing else of the store.
    const store = {
        dataKeyOf: async (account: string | null) => rows.get(account),
        insertDataKey: async (row: DataKeyRow) => void rows.set(row.account, row),
    } as unknown as SigningStore;
    let unwrapped = 0;
    const encryption = {
        current: 'kek',
        names: ['kek'],
        wrap: async (plain: Uint8Array) => ({ kek: 'kek', wrapped: Buffer.from(plain) }),
        async unwrap({ wrapped }: { wrapped: Uint8Array }) {
            unwrapped++;
            return Buffer.from(wrapped);
        },
    };
    const own = seals({ store, encryption, clock: Date.now });
    const seal = (account: string) =>
        own.seal(Buffer.from('secret'), { account, webhook: 'w', secret: 's' }, testContext());

    await seal('first');
    t.mock.timers.tick(KEEP_MS / 2);
    for (let other = 0; other < MAX_KEPT; other++) await seal(`other ${other}`);
    await seal('first');
    assert.equal(unwrapped, 1);
    t.mock.timers.tick(KEEP_MS / 2);
    await seal('first');
    assert.equal(unwrapped, 1);
    t.mock.timers.tick(KEEP_MS / 2);
    await seal('first');
    assert.equal(unwrapped, 2);
});
