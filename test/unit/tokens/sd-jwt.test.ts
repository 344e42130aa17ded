import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_JSON_DEPTH } from '../../../platform/json.ts';
import { MAX_DISCLOSURES } from '../../../proto/limits.ts';
import { isSdJwt, MAX_POINTER_LENGTH, processDisclosures, splitSdJwt } from '../../../tokens/sd-jwt.ts';
import { MAX_TOKEN_LENGTH } from '../../../tokens/v4-public.ts';
import { digest, disclosure, NODE } from './sd-jwts.ts';

const JWT = 'eyJ9.e30.AA';
const NAME = disclosure(['salt', 'name', 'Ada']);
const ITEM = disclosure(['salt', 'DE']);

const processed = (payload: Record<string, unknown>, ...disclosures: string[]) =>
    processDisclosures(payload, disclosures, NODE);

/** Returns lists around a value, `levels` of them. */
const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)]);

describe('the form of an SD-JWT', () => {
    it('is a JWT, disclosures, and maybe a JWT of the holder', () => {
        assert.deepEqual(splitSdJwt(`${JWT}~`), { jwt: JWT, disclosures: [], binding: undefined });
        assert.deepEqual(splitSdJwt(`${JWT}~a~b~`), { jwt: JWT, disclosures: ['a', 'b'], binding: undefined });
        const binding = { jwt: 'a.b.c', covered: `${JWT}~a~` };
        assert.deepEqual(splitSdJwt(`${JWT}~a~a.b.c`), { jwt: JWT, disclosures: ['a'], binding });
    });

    it('is no other text', () => {
        const others = [
            '',
            '~',
            JWT,
            `~${JWT}`,
            `${JWT}~~`,
            `${JWT}~~a~`,
            `${JWT}~a.b~`,
            'a.b~',
            'a.b.c.d~',
            `${JWT}~=~`,
        ];
        for (const text of [...others, `${JWT} ~`, `${JWT}~a~\n`, 'a..c~', 'v4.public.AAAA']) {
            assert.equal(splitSdJwt(text), undefined, text);
        }
    });

    it('has a bounded length, and a bounded number of disclosures', () => {
        assert.equal(splitSdJwt(`${JWT}~${'a~'.repeat(MAX_DISCLOSURES)}`)?.disclosures.length, MAX_DISCLOSURES);
        assert.equal(splitSdJwt(`${JWT}~${'a~'.repeat(MAX_DISCLOSURES + 1)}`), undefined);
        assert.equal(splitSdJwt(`${JWT}~${'a~'.repeat(10_000)}`), undefined);
        const room = MAX_TOKEN_LENGTH - JWT.length - 2;
        assert.ok(isSdJwt(`${JWT}~${'a'.repeat(room)}~`));
        assert.equal(isSdJwt(`${JWT}~${'a'.repeat(room + 1)}~`), false);
    });
});

describe('disclosed claims', () => {
    it('get into their places, at every level, and what is not disclosed is not there', () => {
        const city = disclosure(['salt', 'city', 'Paris']);
        const address = disclosure(['salt', 'address', { _sd: [digest(city)], country: 'FR' }]);
        const payload = {
            _sd: [digest(address), digest('decoy')],
            _sd_alg: 'sha-256',
            inner: { _sd: [digest(NAME)] },
            list: ['AT', { '...': digest('hidden') }, { '...': digest(ITEM) }],
            __proto__: null,
        };
        assert.deepEqual(processed(payload, ITEM, city, address, NAME), {
            payload: { inner: { name: 'Ada' }, list: ['AT', 'DE'], address: { country: 'FR', city: 'Paris' } },
            disclosed: ['/inner/name', '/list/1', '/address', '/address/city'],
        });
        assert.deepEqual(processed(payload), { payload: { inner: {}, list: ['AT'] }, disclosed: [] });
    });

    it('may have every name but the reserved ones, and pointers escape it', () => {
        const odd = disclosure(['salt', 'a/b~c', 1]);
        assert.deepEqual(processed({ _sd: [digest(odd)] }, odd), { payload: { 'a/b~c': 1 }, disclosed: ['/a~1b~0c'] });
        const prototype = disclosure(['salt', '__proto__', { x: 1 }]);
        const result = processed({ _sd: [digest(prototype)] }, prototype);
        assert.ok('payload' in result);
        assert.deepEqual(Object.entries(result.payload), [['__proto__', { x: 1 }]]);
    });

    const item = digest(ITEM);
    const name = digest(NAME);
    const withContent = (content: unknown): [Record<string, unknown>, string] => {
        const text = disclosure(content);
        return [{ _sd: [digest(text)] }, text];
    };
    const deep = disclosure(['salt', 'name', nested(MAX_JSON_DEPTH - 1)]);
    const keys = Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${i}`, 0]));
    const many = disclosure(['salt', 'name', keys]);
    const long = disclosure(['salt', 'a'.repeat(MAX_POINTER_LENGTH), 0]);
    const inItself = { _sd: [name], list: [{ '...': item }, { '...': item }] };
    const refused: ReadonlyArray<[string, RegExp, Record<string, unknown>, ...string[]]> = [
        ['another hash', /_sd_alg is not sha-256/, { _sd_alg: 'sha-512' }],
        ['no hash', /_sd_alg is not sha-256/, { _sd_alg: null }],
        ['a disclosure that stands twice', /disclosure stands twice/, { _sd: [name] }, NAME, NAME],
        ['a disclosure without a digest', /belongs to no digest/, { _sd: ['x'] }, NAME],
        ['a digest that stands twice', /digest stands twice/, { _sd: [name], inner: { _sd: [name] } }, NAME],
        ['a decoy that stands twice', /digest stands twice/, { _sd: ['x', 'x'] }],
        ['a digest that stands twice in a list', /digest stands twice/, inItself, NAME, ITEM],
        ['a disclosure of an item for a member', /not a salt, a name and a value/, { _sd: [item] }, ITEM],
        ['a disclosure of a member for an item', /not a salt and a value/, { list: [{ '...': name }] }, NAME],
        ['a claim that is there twice', /already there/, { name: 'Eve', _sd: [name] }, NAME],
        ['a claim named _sd', /has the name _sd/, ...withContent(['salt', '_sd', []])],
        ['a claim named ...', /has the name \.\.\./, ...withContent(['salt', '...', 'x'])],
        ['a claim named _sd_alg', /has the name _sd_alg/, ...withContent(['salt', '_sd_alg', 'sha-256'])],
        ['a claim whose name is no text', /not a salt, a name/, ...withContent(['salt', 1, 'x'])],
        ['a disclosure with more than three parts', /not a salt, a name/, ...withContent(['salt', 'a', 'b', 'c'])],
        ['a salt that is no text', /begins with a salt/, ...withContent([1, 'name', 'x'])],
        ['a disclosure that is no list', /begins with a salt/, ...withContent({ 0: 'salt' })],
        ['a disclosure that is not JSON', /begins with a salt/, { _sd: [digest('AA')] }, 'AA'],
        ['a disclosure that is not base64url', /begins with a salt/, { _sd: [digest('AAAA=')] }, 'AAAA='],
        ['an _sd that is no list', /_sd is not a list/, { _sd: name }, NAME],
        ['an _sd with something else than texts', /_sd is not a list/, { _sd: [name, 1] }, NAME],
        ['an _sd_alg inside', /_sd_alg stands where/, { inner: { _sd_alg: 'sha-256' } }],
        ['a placeholder outside of a list', /\.\.\. stands where/, { '...': item }, ITEM],
        ['a placeholder with other members', /not alone/, { list: [{ '...': item, x: 1 }] }, ITEM],
        ['a placeholder that is no text', /not alone/, { list: [{ '...': 1 }] }],
        ['claims that are nested too deep', /nested deeper/, { inner: { _sd: [digest(deep)] } }, deep],
        ['too many keys', /more than 20000 keys/, { ...keys, _sd: [digest(many)] }, many],
        ['a name that is too long', /more than 1024 characters/, { _sd: [digest(long)] }, long],
    ];
    for (const [what, reason, payload, ...disclosures] of refused) {
        it(`are refused with ${what}`, () => {
            const result = processed(payload, ...disclosures);
            assert.match('fault' in result ? result.fault : 'accepted', reason);
        });
    }

    it('may be nested as deep as other JSON', () => {
        assert.ok('payload' in processed({ _sd: [digest(deep)] }, deep));
    });
});
