import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isId } from '../../../../platform/uuid.ts';
import {
    newIdIn,
    ONE_PART,
    type PartMap,
    partOfId,
    partOfIssuer,
    partsOfIssuer,
} from '../../../../services/credentials/parts/part-map.ts';

const NOW = Date.UTC(2026, 10, 27);
const ISSUERS = Array.from({ length: 4_000 }, (_, index) => `did:key:issuer-${index}`);
const four: PartMap = { count: 4, counts: [1, 4], since: NOW };

describe('the part of a credential', () => {
    it('is in its id, which stays a UUIDv7 of its time', () => {
        for (const part of [0, 1, 3, 255]) {
            const id = newIdIn(part, NOW);
            assert.ok(isId(id));
            assert.equal(id[14], '7');
            assert.equal(Number.parseInt(id.replace('-', '').slice(0, 12), 16), NOW);
            assert.equal(partOfId(id, { count: 256, counts: [256], since: 0 }), part);
        }
    });

    it('is part 0 for ids from before there were parts, whatever their last byte is', () => {
        for (const made of [NOW - 1, NOW - 86_400_000]) assert.equal(partOfId(newIdIn(3, made), four), 0);
        assert.equal(partOfId(newIdIn(3, NOW), four), 3);
    });

    it('may be one that this process does not know', () => {
        assert.equal(partOfId(newIdIn(7, NOW), four), 7);
    });

    it('is part 0 without parts', () => {
        assert.equal(partOfId(newIdIn(9, NOW), ONE_PART), 0);
        assert.deepEqual(new Set(ISSUERS.map((issuer) => partOfIssuer(issuer, 1))), new Set([0]));
    });
});

describe('the part of an issuer', () => {
    it('is each part about equally often', () => {
        const parts = Map.groupBy(ISSUERS, (issuer) => partOfIssuer(issuer, 4));
        assert.equal(parts.size, 4);
        for (const [part, { length }] of parts) assert.ok(length > 900 && length < 1_100, `part ${part}: ${length}`);
    });

    it('stays or moves to one of the new parts when their number doubles', () => {
        for (const issuer of ISSUERS) {
            const [before, after] = [partOfIssuer(issuer, 4), partOfIssuer(issuer, 8)];
            assert.ok(after === before || after === before + 4);
        }
    });

    it('is one of few: one for each number of parts that there has been', () => {
        for (const issuer of ISSUERS) {
            const all = partsOfIssuer(issuer, { count: 8, counts: [1, 4, 8], since: NOW });
            assert.deepEqual(all, [...new Set([0, partOfIssuer(issuer, 4), partOfIssuer(issuer, 8)])]);
            assert.equal(partsOfIssuer(issuer, { count: 8, counts: [8], since: 0 }).length, 1);
        }
    });
});
