import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { checkpointJob } from '../../../services/signing/checkpoints.ts';
import { kind } from '../identity/identity.fixture.ts';
import { entryOf, startAudit, trusted } from './audit.fixture.ts';

describe('the audit', () => {
    it('is signed soon after its first leaf, and then by the hour', async () => {
        const { signing, events, append } = await startAudit();
        const jobs = checkpointJob({ signing, events });
        const signedLeaves = async () => (await signing.getCheckpoint({}, trusted)).checkpoint?.size ?? 0;
        await jobs['first_checkpoint']?.run();
        assert.equal(await signedLeaves(), 0);
        await append(entryOf([randomUUID()]));
        await jobs['first_checkpoint']?.run();
        const first = await signedLeaves();
        assert.ok(first > 0);
        await append(entryOf([randomUUID()]));
        await jobs['first_checkpoint']?.run();
        assert.equal(await signedLeaves(), first);
        await jobs['checkpoint']?.run();
        assert.ok((await signedLeaves()) > first);
    });

    it('refuses entries and checkpoints that it could not store', async () => {
        const { events, append } = await startAudit();
        const good = entryOf([randomUUID()]) as { events: object[] };
        const bad = [
            { timestamp: '+275760-09-13T00:00:00Z' },
            { timestamp: 'yesterday' },
            { events: good.events.map((event) => ({ ...event, data: { key_id: '\0' } })) },
        ];
        for (const change of bad) await assert.rejects(append({ ...good, ...change } as never), kind('invalid'));
        for (const size of [Number.NaN, -1, 0.5, 2 ** 60]) {
            const checkpoint = { size, edge: Buffer.alloc(0), note: 'note' };
            await assert.rejects(events.addCheckpoint(checkpoint, trusted), kind('invalid'));
        }
    });
});
