import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseObject } from '../../../cli/src/json-input.ts';
import { cpuMs } from '../cpu-time.ts';

describe('JSON that somebody gives', () => {
    it('must be an object', () => {
        assert.deepEqual(parseObject('{"a":[1,"b",null]}', 'It'), { a: [1, 'b', null] });
        for (const text of ['[]', '1', '"x"', 'null', ''])
            assert.throws(() => parseObject(text, 'It'), /^CliError: It /);
    });

    it('is refused if the service would refuse it', () => {
        for (const text of [
            '{"a":1,"a":2}',
            '{"a":"\\u0000"}',
            '{"a":"\\ud800"}',
            '{"a":1e400}',
            `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
        ]) {
            assert.throws(() => parseObject(text, 'It'), /^CliError: It cannot be used: /);
        }
    });

    it('is refused if a number would lose digits', () => {
        for (const number of ['12345678901234567890', '0.1234567890123456789', '9007199254740993', '1e-400']) {
            assert.throws(
                () => parseObject(`{"a":[${number}]}`, 'It'),
                new RegExp(`has the number ${number}, which would lose`),
            );
        }
        for (const number of [
            '0',
            '-0.0',
            '1.50',
            '1E3',
            '1e+3',
            '100',
            '0.1',
            '1e21',
            '123456789012345680000',
            '5e-324',
        ]) {
            parseObject(`{"a":${number}}`, 'It');
        }
        parseObject('{"a":"12345678901234567890","b\\"12345678901234567890":1}', 'It');
    });

    it('is read in linear time, and whatever its length is', () => {
        const start = cpuMs();
        const zeros = '0'.repeat(1 << 17);
        for (const number of [`1${zeros}1e-${zeros.length}`, `0.${zeros}1`, `1.${zeros}`]) {
            try {
                parseObject(`{"a":${number}}`, 'It');
            } catch (error) {
                assert.match(String(error), /CliError: It /);
            }
        }
        parseObject(JSON.stringify({ a: '"'.repeat(2 << 20) }), 'It'); // as long as any input may be
        assert.ok(cpuMs() - start < 4_000);
    });
});
