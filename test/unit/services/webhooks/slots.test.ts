import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Slots, slots } from '../../../../services/webhooks/delivery/slots.ts';

const PLACES = { proven: 224, unknown: 168, failing: 112 } as const;

/** Begins 300 deliveries of each account, which hang until they are let go. */
function hanging({ run }: Slots, accounts: readonly string[], standing: keyof typeof PLACES) {
    const over = Promise.withResolvers<void>();
    const counts = { begun: 0 };
    const all = accounts.flatMap((account) =>
        Array.from({ length: 300 }, () =>
            run({ account, standing }, () => {
                counts.begun++;
                return over.promise;
            }),
        ),
    );
    return {
        counts,
        async letGo() {
            over.resolve();
            await Promise.all(all);
        },
    };
}

/** Whether a delivery to a webhook of another account begins at once. */
async function isServed({ run }: Slots, standing: keyof typeof PLACES): Promise<boolean> {
    let served = false;
    void run({ account: 'other', standing }, async () => {
        served = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    return served;
}

for (const standing of ['proven', 'unknown', 'failing'] as const) {
    it(`deliveries of one account that hang leave places to others, if they are ${standing}`, async () => {
        const places = slots();
        const { counts, letGo } = hanging(places, ['many'], standing);
        assert.ok(await isServed(places, standing));
        assert.equal(counts.begun, PLACES[standing]);
        await letGo();
        assert.equal(counts.begun, 300);
    });
}

it('webhooks that fail, of any number of accounts, do not delay the first deliveries to others', async () => {
    const places = slots();
    const { counts, letGo } = hanging(places, ['one', 'two', 'three'], 'failing');
    assert.ok(await isServed(places, 'unknown'));
    assert.ok(await isServed(places, 'proven'));
    assert.equal(await isServed(places, 'failing'), false);
    assert.equal(counts.begun, 128);
    await letGo();
});

it('first deliveries that hang, of any number of accounts, do not delay webhooks that have answered', async () => {
    const places = slots();
    const { counts, letGo } = hanging(places, ['one', 'two', 'three'], 'unknown');
    assert.ok(await isServed(places, 'proven'));
    assert.equal(counts.begun, 192);
    await letGo();
});
