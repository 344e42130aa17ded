import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PARSERS } from '../attack/parsers.ts';
import { codeIn, rowsOf, sizeText } from './page-tables.ts';

/** An exported function, and its name. */
const EXPORTED = /^export (?:async )?function\*? (\w+)/gm;
/** Names of functions that read what somebody has sent. */
const READS = /^(parse|read|decode|split|open|normalise|require|is|check|verify)[A-Z]|^parse$/;
/** Those that have other names. */
const READ_TOO =
    /^(bearerToken|clientAddress|networkOf|originForm|routable|codingFor|requestIdOf|topLevelString|uuidOf|outOfTime|callers|contextFromMetadata|keyPairFrom|publicKeyFrom)$/;

/** Functions with such names that read nothing from outside, and why. */
const READ_NOTHING: ReadonlyArray<{ at: RegExp; why: string }> = [
    { at: /^gateway\/input\.ts:readInput$/, why: 'hands the parts of a request to parsers that are listed' },
    { at: /^gateway\/openapi\/document\.ts:openApi$/, why: 'describes the endpoints, from the code' },
    { at: /^platform\/context\.ts:/, why: 'compare a deadline, or look whether there is an account' },
    {
        at: /^platform\/(redis|postgres)\/(redis|redis-cluster|redis-sentinel|db|db-errors|clock\.store|migrate)\.ts:/,
        why: 'read settings, and what PostgreSQL and Redis say',
    },
    {
        at: /^platform\/json-scan\.ts:parseSyntax$/,
        why: 'is given what scanJson has passed, by parsers that are listed',
    },
    { at: /:(decodeError|decodeStatus|isErrorKind)$/, why: 'read refusals of the own services' },
    { at: /:(decodeLimitRecord|readRecords)$/, why: 'read records that the limiter has written' },
    { at: /^services\/wallet\/records\.ts:/, why: 'open records that the service has sealed' },
    {
        at: /^services\/credentials\/rules\.ts:requireClaims$/,
        why: 'hands its text to requireJsonObject, which is listed',
    },
    { at: /^services\/(paging\.ts:requireLimit|wallet\/quotas\.ts:checkOneMore)$/, why: 'compare numbers' },
    { at: /:(verifyToken|verifyPublic)$/, why: 'check a signature over the parts that splitToken gives' },
];

const exported = globSync('{gateway,platform,services,workers}/**/*.ts').flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(EXPORTED), ([, name = '']) => ({ at: `${file}:${name}`, name })),
);
const listed = PARSERS.map(({ at }) => at);

describe('the list of parsers', () => {
    it('has every exported function that reads what somebody has sent', () => {
        const readers = exported.filter(({ name }) => READS.test(name) || READ_TOO.test(name)).map(({ at }) => at);
        assert.ok(readers.length > 60);
        const missing = readers.filter(
            (at) => !listed.includes(at) && !READ_NOTHING.some((exception) => exception.at.test(at)),
        );
        assert.deepEqual(missing, [], 'add these to test/attack/parsers.ts with their worst inputs');
    });

    it('names functions that there are, each once', () => {
        assert.equal(new Set(listed).size, listed.length);
        const gone = listed.filter((at) => {
            const [file = '', name = ''] = at.split(':');
            return !globSync(file).length || !readFileSync(file, 'utf8').split(/\W+/).includes(name);
        });
        assert.deepEqual(gone, []);
    });

    it('is the one in docs/security.md, with the longest inputs', () => {
        const documented = rowsOf('docs/security.md', 'Parsers')
            .slice(1)
            .map(([where = '', , longest]) => `${codeIn(where)[0]} ${longest}`);
        assert.deepEqual(documented.sort(), PARSERS.map(({ at, longest }) => `${at} ${sizeText(longest)}`).sort());
    });

    it('has exceptions that are all needed', () => {
        const unused = READ_NOTHING.filter(
            (exception) =>
                !exported.some(({ at, name }) => exception.at.test(at) && (READS.test(name) || READ_TOO.test(name))),
        );
        assert.deepEqual(unused, []);
    });
});
