import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { authenticator, bearerToken, internalSecret } from '../../../../gateway/admission/auth.ts';
import type { Limiter } from '../../../../gateway/admission/limit.ts';
import type { Services } from '../../../../gateway/services.ts';
import { makeApiKey } from '../../../../platform/access/api-key.ts';
import { testContext } from '../../../support/context.ts';

/** All that is read of a request here. */
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

    it('is right where it is one of the valid ones', () => {
        assert.equal(sent('the present one'), true);
        assert.equal(sent('the previous one'), true);
    });

    it('is wrong where it is anything else, or nothing', () => {
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

describe('what a token stands for', () => {
    const key_format = { brand: 'cred', environment: 'test' } as const;
    const live = { alive: true, key_id: 'k', user_id: 'u', tier: 'pro', rate_limit: 1_000 };

    /** An authenticator whose owners answer `owned`, with the requests that they have been asked. */
    function withOwners(owned: { alive: boolean }) {
        const asked: unknown[] = [];
        const lookUp = async (request: unknown) => {
            asked.push(request);
            return owned;
        };
        const { identify } = authenticator({
            // nothing else of the services, and of the limiter, is used
            services: { keys: { authenticate: lookUp }, identity: { confirmSession: lookUp } } as unknown as Services,
            limiter: { tag: (account: string) => `{${account}}` } as unknown as Limiter,
            session_tokens: { verify: async (token) => (token === 'good' ? 's' : undefined) },
            key_format,
        });
        return { identify, asked };
    }

    it('is a key where it begins as one: told from others by its hash, which is all that its owner is asked with', async () => {
        const { identify, asked } = withOwners(live);
        const { api_key, hash } = makeApiKey(key_format);
        const bearer = await identify(api_key);
        assert.deepEqual([bearer?.kind, bearer?.id], ['key', hash.toString('base64')]);
        assert.deepEqual(await bearer?.lookUp(testContext()), {
            principal: { user_id: 'u', tier: 'pro', key_id: 'k' },
            limitRequest: {
                tag: '{u}',
                bucket: 'limit:{u}:u:key:k',
                mark: 'mark:{u}:key:k',
                awaitingRollUp: 'unfolded:{u}:u',
                limit: 1_000,
                tier: 'pro',
            },
        });
        assert.deepEqual(asked, [{ hash }]);
    });

    it('is a session where identity has signed it', async () => {
        const { identify, asked } = withOwners(live);
        const bearer = await identify('good');
        assert.deepEqual([bearer?.kind, bearer?.id], ['session', 's']);
        assert.deepEqual(await bearer?.lookUp(testContext()), {
            principal: { user_id: 'u', tier: 'pro', session_id: 's' },
            limitRequest: {
                tag: '{u}',
                bucket: 'limit:{u}:u:sessions',
                mark: 'mark:{u}:session:s',
                awaitingRollUp: 'unfolded:{u}:u',
                limit: 1_000,
                tier: 'pro',
            },
        });
        assert.deepEqual(asked, [{ session_id: 's' }]);
    });

    it('is nothing for a mistyped key, one of another environment, and a token that is no good', async () => {
        const { identify } = withOwners(live);
        const { api_key } = makeApiKey(key_format);
        const foreign = makeApiKey({ ...key_format, environment: 'live' }).api_key;
        for (const token of [`${api_key}x`, foreign, 'cred_good', 'bad', '']) {
            assert.equal(await identify(token), undefined, token);
        }
        assert.ok(await identify('good'), 'a token without the brand is looked at as a session');
    });

    it('is asked for in vain where its owner does not know it any more', async () => {
        const { identify } = withOwners({ alive: false });
        for (const token of [makeApiKey(key_format).api_key, 'good']) {
            assert.equal(await (await identify(token))?.lookUp(testContext()), undefined);
        }
    });
});
