import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { authenticator, bearerToken } from '../../../../gateway/admission/authenticator.ts';
import { internalSecret } from '../../../../gateway/admission/internal-secret.ts';
import type { Services } from '../../../../gateway/services.ts';
import { makeApiKey } from '../../../../platform/access/api-key.ts';
import type { Limiter } from '../../../../platform/access/limiter.ts';
import { testContext } from '../../../support/context.ts';
import { UNRESTRICTED } from '../../../support/test-redis.ts';

/** A request with headers only: the tested code reads nothing else. */
const requestWith = (headers: Record<string, string | string[]>) => ({ headers }) as unknown as IncomingMessage;

describe('the bearer token', () => {
    const cases: Array<[header: string | undefined, token: string | undefined]> = [
        ['Bearer abc', 'abc'],
        ['bearer abc', 'abc'],
        ['BEARER    abc', 'abc'],
        ['Bearer abc def', 'abc def'],
        [undefined, undefined],
        ['', undefined],
        ['Bearer', undefined],
        ['Bearer ', undefined],
        ['Bearer   ', undefined],
        ['Bearerabc', undefined],
        ['Basic abc', undefined],
        ['Not Bearer abc', undefined],
        ['abc', undefined],
    ];
    for (const [header, token] of cases) {
        it(`of ${header === undefined ? 'no header' : JSON.stringify(header)} is ${token ?? 'none'}`, () => {
            assert.equal(bearerToken(requestWith(header === undefined ? {} : { authorization: header })), token);
        });
    }
});

describe('the internal secret', () => {
    const isInternal = internalSecret(['the present one', 'the previous one']);
    const sent = (secret: string | string[]) => isInternal(requestWith({ 'x-internal-secret': secret }));

    it('is accepted if it is one of the valid secrets', () => {
        assert.equal(sent('the present one'), true);
        assert.equal(sent('the previous one'), true);
    });

    it('is refused if it is anything else, or missing', () => {
        for (const secret of [
            '',
            'the present',
            'the present one ',
            'The present one',
            'the present one, the previous one',
        ]) {
            assert.equal(sent(secret), false, secret);
        }
        assert.equal(isInternal(requestWith({})), false);
        assert.equal(sent(['the present one']), false);
        assert.equal(internalSecret([])(requestWith({ 'x-internal-secret': '' })), false);
    });
});

describe('a token', () => {
    const keyFormat = { brand: 'cred', environment: 'test' } as const;
    const live = { alive: true, key_id: 'k', user_id: 'u', tier: 'pro', rate_limit: 1_000, ...UNRESTRICTED };

    /** An authenticator whose owning services answer `owned`, and the requests that they receive. */
    function withOwners(owned: { alive: boolean }) {
        const asked: unknown[] = [];
        const lookUp = async (request: unknown) => {
            asked.push(request);
            return owned;
        };
        const { identify } = authenticator({
            // The authenticator uses nothing else of the services and of the limiter.
            services: { keys: { authenticate: lookUp }, identity: { confirmSession: lookUp } } as unknown as Services,
            limiter: { tag: (account: string) => `{${account}}` } as unknown as Limiter,
            sessionVerifier: { verify: async (token) => (token === 'good' ? 's' : undefined) },
            keyFormat,
        });
        return { identify, asked };
    }

    it('that begins as a key is one: its hash identifies it, and only the hash is sent to the owning service', async () => {
        const { identify, asked } = withOwners(live);
        const { api_key, hash } = makeApiKey(keyFormat);
        const bearer = await identify(api_key);
        assert.deepEqual([bearer?.kind, bearer?.id], ['key', hash.toString('base64')]);
        assert.deepEqual(await bearer?.lookUp(testContext()), {
            principal: { user_id: 'u', tier: 'pro', key_id: 'k' },
            limitRequest: {
                tag: '{u}',
                bucket: 'window:{u}:u:key:k',
                mark: 'mark:{u}:key:k',
                version: 0,
                limit: 1_000,
                tier: 'pro',
            },
        });
        assert.deepEqual(asked, [{ hash, enforces_restrictions: true }]);
    });

    it('that identity has signed is a session', async () => {
        const { identify, asked } = withOwners(live);
        const bearer = await identify('good');
        assert.deepEqual([bearer?.kind, bearer?.id], ['session', 's']);
        assert.deepEqual(await bearer?.lookUp(testContext()), {
            principal: { user_id: 'u', tier: 'pro', session_id: 's' },
            limitRequest: {
                tag: '{u}',
                bucket: 'window:{u}:u:sessions',
                version: 0,
                mark: 'mark:{u}:session:s',
                limit: 1_000,
                tier: 'pro',
            },
        });
        assert.deepEqual(asked, [{ session_id: 's' }]);
    });

    it('that is a mistyped key, a key of another environment or any other invalid text is not identified', async () => {
        const { identify } = withOwners(live);
        const { api_key } = makeApiKey(keyFormat);
        const foreign = makeApiKey({ ...keyFormat, environment: 'live' }).api_key;
        for (const token of [`${api_key}x`, foreign, 'cred_good', 'bad', '']) {
            assert.equal(await identify(token), undefined, token);
        }
        assert.ok(await identify('good'), 'a token without the brand is treated as a session');
    });

    it('that the owning service no longer knows has no auth state', async () => {
        const { identify } = withOwners({ alive: false });
        for (const [token, state] of [
            [makeApiKey(keyFormat).api_key, 'inactive'],
            ['good', 'gone'],
        ] as const) {
            assert.equal(await (await identify(token))?.lookUp(testContext()), state);
        }
    });
});
