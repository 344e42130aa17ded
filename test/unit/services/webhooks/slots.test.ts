import assert from 'node:assert/strict';
import { it } from 'node:test';
import { slots } from '../../../../services/webhooks/delivery/slots.ts';

for (const isProbe of [true, false]) {
    it(`deliveries of one account that hang leave places to others, ${isProbe ? 'to probe' : 'also if it is proven'}`, async () => {
        const { run } = slots();
        const hanging = Promise.withResolvers<void>();
        let begun = 0;
        const all = Array.from({ length: 300 }, () =>
            run({ account: 'many', isProbe }, () => {
                begun++;
                return hanging.promise;
            }),
        );
        let isServed = false;
        const other = run({ account: 'other', isProbe }, async () => {
            isServed = true;
        });
        await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual({ begun, isServed }, { begun: isProbe ? 112 : 224, isServed: true });
        hanging.resolve();
        await Promise.all([...all, other]);
        assert.equal(begun, 300);
    });
}
