import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ConfigError, loadConfig } from '../../../../platform/process/config.ts';
import { tlsOf } from '../../../../platform/rpc/tls.ts';
import { authority } from '../../../support/certificates.ts';

const refused = (env: Record<string, string>, message: RegExp): void => {
    assert.throws(
        () => loadConfig(env),
        (error) => {
            assert.ok(error instanceof ConfigError);
            assert.match(error.message, message);
            assert.doesNotMatch(error.message, /hush/);
            return true;
        },
    );
};

describe('SERVICE_CALLERS', () => {
    const entry = { token_sha256: hash('sha256', 'hush'), methods: ['/did.v1.DidService/*'] };

    it('grants only the rights that it states', () => {
        const { SERVICE_CALLERS } = loadConfig({ SERVICE_CALLERS: JSON.stringify({ billing: entry }) });
        assert.deepEqual(SERVICE_CALLERS, { billing: { ...entry, trusted: false, max_in_flight: 256 } });
        assert.deepEqual(loadConfig({}).SERVICE_CALLERS, {});
    });

    const faulty: Array<[what: string, callers: unknown]> = [
        ['a token in clear', { billing: { ...entry, token: 'hush' } }],
        ['an invalid hash', { billing: { ...entry, token_sha256: 'hush' } }],
        ['no method', { billing: { ...entry, methods: [] } }],
        ['all methods of all services', { billing: { ...entry, methods: ['/*'] } }],
        ['part of a method', { billing: { ...entry, methods: ['/did.v1.DidService/Re*'] } }],
        ['a right that is no boolean', { billing: { ...entry, trusted: 'hush' } }],
        ['one token for two callers', { billing: entry, shipping: entry }],
        ['a list instead of an object', [entry]],
    ];
    for (const [what, callers] of faulty) {
        it(`with ${what} is refused, and the error shows no value`, () =>
            refused({ SERVICE_CALLERS: JSON.stringify(callers) }, /SERVICE_CALLERS/));
    }

    it('that is no JSON is refused', () => refused({ SERVICE_CALLERS: '{hush' }, /SERVICE_CALLERS: must be JSON/));
});

describe('SERVICE_TOKEN', () => {
    const [one, two] = ['one token of more than 32 characters', 'another one of more than 32 characters'];

    it('is one token or several, of which the first is sent', () => {
        assert.deepEqual(loadConfig({ SERVICE_TOKEN: one }).SERVICE_TOKEN, [one]);
        assert.deepEqual(loadConfig({ SERVICE_TOKEN: `${one},\n${two}\n` }).SERVICE_TOKEN, [one, two]);
    });

    it('must not contain an empty token, which any caller could send', () => {
        for (const list of ['hush,', ',hush', ',', 'hush,,hush']) {
            refused({ SERVICE_TOKEN: list }, /SERVICE_TOKEN.*must be a token, or several separated by commas/);
        }
    });

    it('must contain only long tokens in production', () => {
        loadConfig({ NODE_ENV: 'production', KEY_ENVIRONMENT: 'live', SERVICE_TOKEN: `${one},${two}` });
        for (const list of ['hush', `${one},hush`, `hush,${one}`]) {
            refused({ NODE_ENV: 'production', SERVICE_TOKEN: list }, /SERVICE_TOKEN is too short/);
        }
    });
});

describe('certificates for gRPC', () => {
    const { cert: ca, certify } = authority('ours');
    const [one, two] = [certify('one'), certify('two')];

    it('need a key, which must belong to the certificate', () => {
        loadConfig({ GRPC_TLS_CERT: one.cert, GRPC_TLS_KEY: one.key, GRPC_TLS_CA: ca });
        loadConfig({ GRPC_TLS_CERT: one.cert, GRPC_TLS_KEY: one.key });
        refused({ GRPC_TLS_CERT: one.cert }, /GRPC_TLS_KEY/);
        refused({ GRPC_TLS_CA: ca }, /GRPC_TLS_CERT/);
        refused({ GRPC_TLS_CERT: one.cert, GRPC_TLS_KEY: two.key }, /GRPC_TLS_KEY/);
        refused({ GRPC_TLS_CERT: one.cert, GRPC_TLS_KEY: 'hush' }, /GRPC_TLS_KEY/);
    });

    it('may be missing in production only if the settings allow cleartext', () => {
        const production = { NODE_ENV: 'production', KEY_ENVIRONMENT: 'live' };
        assert.throws(() => tlsOf(loadConfig(production)), ConfigError);
        assert.equal(tlsOf(loadConfig({ ...production, GRPC_CLEARTEXT: 'allow' })), undefined);
        assert.ok(tlsOf(loadConfig({ ...production, GRPC_TLS_CERT: one.cert, GRPC_TLS_KEY: one.key })));
        assert.equal(tlsOf(loadConfig({ NODE_ENV: 'development' })), undefined);
    });
});
