import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { healthEndpoints } from '../../../../gateway/endpoints/health.ts';
import type { Services } from '../../../../gateway/services.ts';
import { type CallContext, reasonNotToStart } from '../../../../platform/context.ts';
import { testContext } from '../../../support/context.ts';

/** The health endpoint, with dependencies that answer when the test resolves `answer`. */
function health() {
    const asked: string[] = [];
    const answer = Promise.withResolvers<void>();
    const dependency = (name: string) => async (_request: object, context: CallContext) => {
        asked.push(name);
        await answer.promise;
        if (reasonNotToStart(context)) throw new Error('the call is over');
        return {};
    };
    const services = {
        identity: { ping: dependency('identity') },
        credentials: { ping: dependency('credentials') },
    } as unknown as Services; // health calls only these
    const cache = () => dependency('cache')({}, testContext());
    const [endpoint] = healthEndpoints({ version: '1.0.0', cache, clock: Date.now });
    const ask = async (context = testContext()) => {
        const input = {
            params: {},
            query: {},
            headers: {},
            body: {},
            bearer: undefined,
            ip: '127.0.0.1',
            services,
            context,
        };
        const document = (await endpoint?.call(input)) as { services: object }; // its schema says so
        return document.services;
    };
    return { asked, answer, ask };
}

const ALL_UP = { database: 'up', cache: 'up', storage: 'up' };

describe('health', () => {
    it('asks each dependency once for all concurrent requests', async () => {
        const { asked, answer, ask } = health();
        const answers = Array.from({ length: 100 }, () => ask());
        assert.deepEqual(asked, ['identity', 'cache', 'credentials']);
        answer.resolve();
        for (const states of await Promise.all(answers)) assert.deepEqual(states, ALL_UP);
        await ask();
        assert.equal(asked.length, 6);
    });

    it('answers the other clients correctly when the first client disconnects', async () => {
        const { answer, ask } = health();
        const first = testContext();
        const answers = [ask(first), ask()];
        first.cancellation.cancel();
        answer.resolve();
        assert.deepEqual(await answers[1], ALL_UP);
    });

    it('reports a dependency as down if it does not answer for two seconds', async (t) => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const { ask } = health();
        const answer = ask();
        t.mock.timers.tick(2_000);
        assert.deepEqual(await answer, { database: 'down', cache: 'down', storage: 'down' });
    });
});
