import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Cancellation } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { testContext } from '../../support/harness.ts';
import { newWalletKey } from '../../support/wallets/wallet-keys.ts';
import { exchangeFixture } from './exchange.fixture.ts';
import { refusedWith, walletRequests } from './wallet-requests.ts';

const { service, failure, redeemed, clock } = await exchangeFixture();
const { ask, proofOf } = walletRequests({ service, clock });

it('a wallet is not told why the account cannot issue', async () => {
    for (const kind of ['forbidden', 'conflict', 'invalid'] as const) {
        const offered = await redeemed();
        failure.next = new AppError(kind, 'The account has reached its quota of 7 credentials.');
        const proofs = [proofOf(newWalletKey(), offered)];
        await assert.rejects(ask(offered, proofs), {
            reason: 'credential_request_denied',
            detail: 'This credential cannot be issued now.',
        });
        // Any key gets its credential when the account can issue again, and then no other one.
        await ask(offered, [proofOf(newWalletKey(), offered)]);
        await assert.rejects(ask(offered, proofs), { reason: 'credential_request_denied' });
    }
});

it('a wallet gets the credentials of the other keys if one is refused, and then has room for another key', async () => {
    const offered = await redeemed({ max_keys: 2 });
    const proofs = [proofOf(newWalletKey(), offered), proofOf(newWalletKey(), offered)];
    failure.next = new AppError('forbidden', 'The account has reached its quota.');
    const partial = await ask(offered, proofs);
    assert.equal(partial.credentials.length, 1);
    const { credential_ids } = await service.getOffer(offered, offered.context);
    assert.equal(credential_ids.length, 1);
    const { credentials } = await ask(offered, proofs);
    assert.equal(credentials.length, 2);
    assert.ok(credentials.includes(partial.credentials[0] ?? ''));
    // A failure may pass, so the wallet is told to repeat the request. It then gets all of them.
    const other = await redeemed({ max_keys: 2 });
    const both = [proofOf(newWalletKey(), other), proofOf(newWalletKey(), other)];
    failure.next = new AppError('unavailable', 'Not now.', { reason: 'service credentials' });
    await assert.rejects(ask(other, both), { kind: 'unavailable' });
    assert.equal((await ask(other, both)).credentials.length, 2);
});

it('a configuration that replaces a deleted one does not get its offers', async () => {
    const offered = await redeemed();
    const { issuer_id, configuration_id, context } = offered;
    await service.deleteConfiguration({ issuer_id, configuration_id }, context);
    const other = { format: 'dc+sd-jwt', vct: 'https://club.example/board', display: [], claims: [], proof_algs: [] };
    await service.createConfiguration({ issuer_id, configuration_id, ...other }, context);
    await assert.rejects(ask(offered, [proofOf(newWalletKey(), offered)]), refusedWith('invalid_token'));
    await assert.rejects(service.getCredentialOffer(offered, offered.wallet), { kind: 'not_found' });
});

it('a key for which another call may have issued keeps its offer', async () => {
    for (const kinds of [['unavailable', 'unprocessable'], ['unavailable', 'forbidden'], ['unprocessable']] as const) {
        const offered = await redeemed();
        const proofs = [proofOf(newWalletKey(), offered)];
        for (const kind of kinds) {
            failure.next = new AppError(kind, 'This call issues nothing.', { reason: 'service credentials' });
            const refused = kind === 'unavailable' ? { kind } : refusedWith('credential_request_denied');
            await assert.rejects(ask(offered, proofs), refused);
        }
        const others = [proofOf(newWalletKey(), offered)];
        await assert.rejects(ask(offered, others), refusedWith('credential_request_denied'));
        await ask(offered, proofs);
    }
});

it('a wallet that disconnects leaves an offer that knows what was issued, and that has room if nothing was', async () => {
    const offered = await redeemed();
    const proofs = [proofOf(newWalletKey(), offered)];
    const gone = () => ({ ...testContext(), cancellation: new Cancellation() });
    for (const next of [new AppError('forbidden', 'The account has reached its quota.'), undefined]) {
        const wallet = gone();
        Object.assign(failure, { next, meanwhile: async () => wallet.cancellation.cancel() });
        await ask({ ...offered, wallet }, [proofOf(newWalletKey(), offered)]).catch(
            refusedWith('credential_request_denied'),
        );
    }
    const { state, credential_ids } = await service.getOffer(offered, offered.context);
    assert.deepEqual([state, credential_ids.length], ['issued', 1]);
    await assert.rejects(ask(offered, proofs), refusedWith('credential_request_denied'));
});
