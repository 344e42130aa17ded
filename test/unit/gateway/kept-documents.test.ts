import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { PublicDocument } from '../../../gateway/documents.ts';
import { issuerDocuments } from '../../../gateway/endpoints/issuers.ts';
import { type DocumentSource, keptDocuments } from '../../../gateway/kept-documents.ts';
import type { Services } from '../../../gateway/services.ts';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { SigningServiceDefinition } from '../../../proto/gen/signing/v1/signing.ts';
import { ISSUER_LEASE_MS } from '../../../proto/limits.ts';
import { testContext } from '../../support/context.ts';
import { stubService } from '../../support/stub-service.ts';

const EVER = Number.NEGATIVE_INFINITY;

/** A source with this text, and how often it was read. */
function sourceOf(name: string, text: string, more: Partial<DocumentSource> = {}) {
    const calls = { read: 0 };
    const read = async () => {
        calls.read++;
        return { text, version: 'v1' };
    };
    return { calls, source: { name, since: EVER, read, ...more } };
}

const textOf = (document: PublicDocument) => document.bodies.identity.toString();
const anonymous = (address: string) => testContext({ user_id: undefined, address });

describe('a public document', () => {
    it('is read once, however many want it, and sent as it is kept', async () => {
        const { source, calls } = sourceOf('one', 'text');
        const documents = keptDocuments();
        const all = await Promise.all(Array.from({ length: 500 }, () => documents(source, testContext())));
        assert.equal(new Set(all).size, 1);
        assert.equal(await documents(source, testContext()), all[0]);
        assert.equal(calls.read, 1);
    });

    it('is read again when it is due, and not compressed again if its text is the same', async () => {
        const documents = keptDocuments();
        const first = await documents(sourceOf('one', 'text').source, testContext());
        const due = { since: performance.now() };
        assert.equal(await documents(sourceOf('one', 'text', due).source, testContext()), first);
        const changed = sourceOf('one', 'changed', { since: performance.now() });
        assert.equal(textOf(await documents(changed.source, testContext())), 'changed');
        assert.equal(changed.calls.read, 1);
    });

    it('is not read again while its version is known to be current', async () => {
        const documents = keptDocuments();
        await documents(sourceOf('one', 'text').source, testContext());
        const { source, calls } = sourceOf('one', 'text', { since: performance.now(), version: 'v1' });
        assert.equal(textOf(await documents(source, testContext())), 'text');
        assert.equal(calls.read, 0);
    });

    it('is read again if the reading under way began too early', async () => {
        const documents = keptDocuments();
        const answer = Promise.withResolvers<{ text: string }>();
        const old = documents({ name: 'one', since: EVER, read: () => answer.promise }, testContext());
        await turn();
        const fresh = documents(sourceOf('one', 'new', { since: performance.now() }).source, testContext());
        answer.resolve({ text: 'old' });
        assert.deepEqual([textOf(await old), textOf(await fresh)], ['old', 'new']);
    });

    it('that cannot be read is read again by the next request', async () => {
        const documents = keptDocuments();
        const broken = sourceOf('one', 'text', {
            read: () => Promise.reject(new AppError('unavailable', 'away', { reason: 'service credentials' })),
        });
        await assert.rejects(documents(broken.source, testContext()), /away/);
        assert.equal(textOf(await documents(sourceOf('one', 'text').source, testContext())), 'text');
    });

    it('makes room for others when the memory is used up: the least recently used one goes', async () => {
        const documents = keptDocuments({ maxBytes: 40_000 });
        const sources = ['a', 'b', 'c', 'd'].map((name) => sourceOf(name, name.repeat(10_000)));
        const read = async (place: number) => documents(sources[place]?.source ?? assert.fail(), testContext());
        for (const place of [0, 1, 2, 0, 3, 0]) await read(place);
        assert.deepEqual(
            sources.map(({ calls }) => calls.read),
            [1, 1, 1, 1],
        );
        await read(1);
        assert.equal(sources[1]?.calls.read, 2);
    });
});

describe('if many documents are to be read', () => {
    /** Documents whose readings end when the test says so. */
    function slowDocuments() {
        const begun: string[] = [];
        const ends: Array<() => void> = [];
        const documents = keptDocuments();
        const get = (name: string, address: string) => {
            const read = () =>
                new Promise<{ text: string }>((resolve) => {
                    begun.push(name);
                    ends.push(() => resolve({ text: name }));
                });
            return documents({ name, since: EVER, read }, anonymous(address));
        };
        /** Ends one reading after the other until this is true. */
        const endUntil = async (isDone: () => boolean) => {
            while (!isDone()) {
                ends.shift()?.();
                await turn();
            }
        };
        const endAll = async <Result>(all: Promise<Result>): Promise<Result> => {
            let isOver = false;
            const ended = all.finally(() => {
                isOver = true;
            });
            await endUntil(() => isOver);
            return ended;
        };
        return { begun, get, endUntil, endAll };
    }

    it('48 readers of one address get all of 120 documents, and each is read once', async () => {
        const documents = keptDocuments();
        const sources = Array.from({ length: 120 }, (_, place) => sourceOf(`list ${place}`, `text ${place}`));
        const reader = async (first: number) => {
            for (let step = 0; step < sources.length; step++) {
                const { source } = sources[(first * 7 + step) % sources.length] ?? assert.fail();
                await documents(source, anonymous('192.0.2.1'));
            }
        };
        await Promise.all(Array.from({ length: 48 }, (_, place) => reader(place)));
        assert.deepEqual(new Set(sources.map(({ calls }) => calls.read)), new Set([1]));
    });

    it('the reader of another address waits for one reading, and not for all of the first address', async () => {
        const { begun, get, endUntil, endAll } = slowDocuments();
        const greedy = Array.from({ length: 200 }, (_, place) => get(`greedy ${place}`, '192.0.2.1'));
        const modest = get('modest', '192.0.2.2');
        await endUntil(() => begun.includes('modest'));
        assert.ok(begun.indexOf('modest') <= 17, 'at most one more than those that were being read comes first');
        assert.equal(textOf(await endAll(modest)), 'modest');
        await endAll(Promise.all(greedy));
    });

    it('the address with the most waiting documents gives way when too many wait', async () => {
        const { get, endAll } = slowDocuments();
        const greedy = Array.from({ length: 600 }, (_, place) => get(`greedy ${place}`, '192.0.2.1'));
        const settled = Promise.allSettled(greedy);
        const modest = get('modest', '192.0.2.2');
        const [answers] = await endAll(Promise.all([settled, modest]));
        const refused = answers.filter(({ status }) => status === 'rejected');
        assert.equal(refused.length, 600 - 16 - 512 + 1);
    });
});

describe('the DID document of an issuer', () => {
    /** An issuer, and its document at a time that the test sets. */
    function start(kids: string[]) {
        const calls = { read: 0 };
        const signing = stubService(SigningServiceDefinition, {
            async getPublicIssuer() {
                calls.read++;
                const keys = kids.map((kid) => ({ kid, alg: 'EdDSA', x: new Uint8Array(32) }));
                return { did: 'did:web:issuer.example', keys };
            },
        });
        const services = { signing } as Partial<Services> as Services; // nothing else is called
        const [{ call }] = issuerDocuments(keptDocuments());
        const input = { params: { issuer_id: newId() }, query: undefined, headers: undefined, body: undefined };
        const get = async () => {
            const context = testContext();
            const answer = await call({ ...input, bearer: undefined, ip: '192.0.2.1', services, context });
            return textOf(answer as PublicDocument); // the endpoint returns no other answer
        };
        return { calls, get };
    }

    it('shows a change as soon as the call that made it may answer, and is not read again before', async (t) => {
        const kids = ['z6MkOld'];
        const { calls, get } = start(kids);
        const began = performance.now();
        let ahead = 0;
        t.mock.method(performance, 'now', () => began + ahead);
        assert.match(await get(), /#z6MkOld/);
        kids.splice(0, 1, 'z6MkNew'); // now the call that changes it begins to wait
        ahead = ISSUER_LEASE_MS - 1;
        assert.match(await get(), /#z6MkOld/);
        assert.equal(calls.read, 1);
        ahead = ISSUER_LEASE_MS + 1;
        assert.doesNotMatch(await get(), /#z6MkOld/);
        assert.equal(calls.read, 2);
    });
});
