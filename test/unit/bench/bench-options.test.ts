import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { parseGrowthOptions } from '../../../bench/growth/options.ts';
import {
    parseCoresOptions,
    parseEventsOptions,
    parseOptions,
    parseOverloadOptions,
    parseProfileOptions,
} from '../../../bench/options.ts';

test('invalid options are refused with the valid values', () => {
    const names = ['verify', 'issue'];
    assert.deepEqual(parseOptions(['--only', 'issue', '--transport=grpc', '--seconds', '2'], names), {
        transport: 'grpc',
        only: ['issue'],
        processes: Math.min(Math.max(1, availableParallelism() - 1), 64),
        json: undefined,
        seconds: 2,
        connections: 64,
    });
    assert.throws(
        () => parseOptions(['--only', 'verify,resolve'], names),
        /--only: resolve is not one of verify, issue/,
    );
    assert.throws(() => parseOptions(['--transport', 'http'], names), /http is not one of local, grpc/);
    assert.throws(() => parseOptions(['--seconds', '60'], names), /from 0.2 to 45/);
    assert.throws(() => parseOptions(['--connections', 'many'], names), /--connections/);
    assert.throws(() => parseOptions(['--processes', '1.5'], names), /--processes must be a whole number/);
    assert.throws(() => parseCoresOptions(['--only', 'list'], names), /list is not one of verify, issue/);
    assert.throws(() => parseOverloadOptions(['--transport', 'grcp'], names), /grcp is not one of local, grpc/);
    assert.throws(() => parseOverloadOptions(['--seconds', 'x'], names), /--seconds must be a number/);
    assert.throws(() => parseProfileOptions(['--job', 'limiter'], names), /limiter is not one of verify, issue/);
    assert.throws(() => parseProfileOptions(['--jobs', 'verify'], names), /Unknown option '--jobs'/);
    assert.throws(
        () => parseGrowthOptions(['--part', 'sizes']),
        /sizes is not one of credentials, accounts, gateways, list/,
    );
    assert.throws(() => parseEventsOptions(['--part', 'seals']), /seals is not one of sealing, deliveries, delays/);
    assert.throws(() => parseGrowthOptions(['--accounts', '1,many']), /--accounts must be a number/);
    assert.throws(() => parseGrowthOptions(['--gateways', '']), /--gateways has no value/);
});
