import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { leases, leasesEnd } from '../../../../services/issuers/leases.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Remembers a seed of which there is no other copy. */
function leasedSeed() {
    const known = leases<{ seed: Buffer }>();
    const value = { seed: Buffer.alloc(32, 7) };
    known.set('did:web:a.example', value, performance.now());
    return { known, seed: new WeakRef(value) };
}

it('a lease ends a second after its reading began, and before a change is answered', async () => {
    const known = leases<string>();
    known.set('fresh', 'value', performance.now());
    known.set('slow', 'value', performance.now() - 1_000);
    assert.equal(known.get('fresh'), 'value');
    assert.equal(known.get('slow'), undefined);
    await leasesEnd();
    assert.equal(known.get('fresh'), undefined);
});

it('a value is not kept in memory after its lease', async () => {
    const { known, seed } = leasedSeed();
    assert.equal(known.get('did:web:a.example')?.seed.length, 32);
    await leasesEnd();
    collectGarbage();
    assert.equal(seed.deref(), undefined);
    assert.equal(known.get('did:web:a.example'), undefined);
});

it('a new lease is not ended by the timer of the one before', async () => {
    const known = leases<string>();
    known.set('did', 'old', performance.now());
    const ended = leasesEnd();
    await new Promise((resolve) => setTimeout(resolve, 500));
    known.set('did', 'new', performance.now());
    await ended;
    assert.equal(known.get('did'), 'new');
});
