import assert from 'node:assert/strict';
import { anOffer, codeOf, linked } from '../../../e2e/exchange/exchange-examples.ts';
import { redemption } from '../../../e2e/exchange/wallet.ts';
import type { Call } from '../../../e2e/support/client.ts';
import { race, together } from '../../../e2e/support/races.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

race('a code that wallets redeem at once is spent once, and wrong codes spend nothing', 15, async (callers, dice) => {
    const offered = await anOffer({ tx_code: {} });
    const path = `/issuers/${linked(offered).issuer_id}/token`;
    const code = await codeOf(offered);
    const call = (txCode: string): Call => {
        const body = new URLSearchParams(redemption(code, txCode)).toString();
        return { method: 'POST', path, headers: FORM, body };
    };
    const right = call(offered.tx_code ?? '');
    const wrong = Array.from({ length: Math.min(4, callers - 1) }, () => call('wrong'));
    const calls = [...wrong, ...Array.from({ length: callers - wrong.length }, () => right)];
    const made = await together(calls, dice);
    const spent = made.filter(({ answer }) => answer.status === 200);
    assert.equal(spent.length, 1);
    assert.equal(spent[0]?.call, right);
});
