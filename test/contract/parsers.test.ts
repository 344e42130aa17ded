import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PARSERS } from '../full/attack/parsers.ts';

/** An exported function, and its name. */
const EXPORTED = /^export (?:async )?function\*? (\w+)/gm;
/** Names of functions that read input from outside the service. */
const READS = /^(parse|read|decode|split|open|normalise|require|is|check|verify)[A-Z]|^parse$/;
/** Functions that read input from outside the service but have names that READS does not match. */
const READ_TOO =
    /^(bearerToken|clientOf|networkOf|originForm|routable|codingFor|requestIdOf|topLevelString|uuidOf|outOfTime|callers|contextFromMetadata|keyPairFrom|publicKeyFrom)$/;

/** Functions that READS matches but that read no input from outside the service, and why. */
const READ_NOTHING: ReadonlyArray<{ at: RegExp; why: string }> = [
    { at: /^gateway\/input\.ts:read(Head|Input)$/, why: 'passes the parts of a request to listed parsers' },
    {
        at: /^gateway\/openapi\/(document\.ts:openApi|operations\/index\.ts:isVariant)$/,
        why: 'describe the endpoints, from the code',
    },
    { at: /^platform\/context\.ts:/, why: 'compare a deadline, or check that there is an account' },
    {
        at: /^platform\/(redis|postgres)\/(redis|redis-cluster|redis-sentinel|db|db-errors|clock\.store|migrate)\.ts:/,
        why: 'read settings, and replies of PostgreSQL and Redis',
    },
    {
        at: /^platform\/json-scan\.ts:parseSyntax$/,
        why: 'gets only text that scanJson has accepted, from listed parsers',
    },
    { at: /:(decodeError|decodeStatus|isErrorKind)$/, why: 'read refusals of our own services' },
    {
        at: /^services\/(wallet\/records\.ts:|idempotency\/claim\.ts:openAnswer$|issuers\/token-signer\.ts:openKid$)/,
        why: 'open records that the service has sealed',
    },
    {
        at: /^services\/(idempotency\/claim\.ts:requireSealingKey|presentations\/rules\.ts:requireBinding|credentials\/batches\.ts:requireItems)$/,
        why: 'compare a length',
    },
    { at: /^services\/did\/create\.ts:requireKey$/, why: 'passes its bytes to publicKeyFrom, which is listed' },
    {
        at: /^services\/credentials\/rules\.ts:requireClaims$/,
        why: 'passes its text to requireJsonObject, which is listed',
    },
    {
        at: /^services\/credentials\/verify\.ts:verifyMany$/,
        why: 'passes each token to isToken and to a thread, which are listed',
    },
    { at: /^services\/(paging\.ts:requireLimit|wallet\/quotas\.ts:checkOneMore)$/, why: 'compare numbers' },
    {
        at: /^tokens\/web-did\.ts:readSigner$/,
        why: 'passes its texts to decodeDidKey and isIssuerWebDid, which are listed',
    },
    { at: /:verify(Token|Jws)$/, why: 'check a signature over the parts that splitToken or splitJws gives' },
    { at: /^workers\/crypto\/signature-jobs\.ts:openSdJwtVc$/, why: 'runs openSdJwtVc of tokens, which is listed' },
    { at: /^tokens\/open\.ts:openToken$/, why: 'is run by openToken in signature-jobs.ts, which is listed' },
];

const exported = globSync('{gateway,platform,services,tokens,workers}/**/*.ts').flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(EXPORTED), ([, name = '']) => ({ at: `${file}:${name}`, name })),
);
const listed = PARSERS.map(({ at }) => at);

describe('the list of parsers', () => {
    it('has every exported function that reads input from outside the service', () => {
        const readers = exported.filter(({ name }) => READS.test(name) || READ_TOO.test(name)).map(({ at }) => at);
        assert.ok(readers.length > 60);
        const missing = readers.filter(
            (at) => !listed.includes(at) && !READ_NOTHING.some((exception) => exception.at.test(at)),
        );
        assert.deepEqual(missing, [], 'add these to test/full/attack/parsers.ts with their worst inputs');
    });

    it('names each function once, and only functions that exist', () => {
        assert.equal(new Set(listed).size, listed.length);
        const gone = listed.filter((at) => {
            const [file = '', name = ''] = at.split(':');
            return !globSync(file).length || !readFileSync(file, 'utf8').split(/\W+/).includes(name);
        });
        assert.deepEqual(gone, []);
    });

    it('needs every exception that this test lists', () => {
        const unused = READ_NOTHING.filter(
            (exception) =>
                !exported.some(({ at, name }) => exception.at.test(at) && (READS.test(name) || READ_TOO.test(name))),
        );
        assert.deepEqual(unused, []);
    });
});
