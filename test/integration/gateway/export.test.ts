import assert from 'node:assert/strict';
import { get } from 'node:http';
import { type TestContext, test } from 'node:test';
import { startGateway } from '../../../gateway/gateway.ts';
import type { Services } from '../../../gateway/services.ts';
import type { CallContext } from '../../../platform/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { loadConfig } from '../../../platform/process/config.ts';
import type { ServiceOf } from '../../../platform/rpc/definition.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { Statistics } from '../../../proto/gen/usage/v1/usage.ts';
import { SERVICE_DEFINITIONS, type ServiceRole } from '../../../proto/services.ts';
import { quiet } from '../../support/harness.ts';
import { stubService } from '../../support/stub-service.ts';
import { testLimiter, UNCOUNTED } from '../../support/test-redis.ts';
import { until } from '../../support/until.ts';
import { identityFixture, signedIn } from '../identity/identity.fixture.ts';

const { identity, redis } = await identityFixture();

type Replaced = { [Role in ServiceRole]?: Partial<ServiceOf<(typeof SERVICE_DEFINITIONS)[Role]>> };

/** A gateway with accounts that own nothing but what `replaced` says. */
async function started(t: TestContext, replaced: Replaced) {
    const stubs: Replaced = {
        identity,
        usage: {
            getStatistics: async () => Statistics.fromPartial({}),
            getKeyUsage: async () => ({ keys: [] }),
        },
        keys: { list: async () => ({ keys: [] }) },
        did: { list: async () => ({ dids: [] }) },
        signing: { listIssuers: async () => ({ issuers: [] }) },
        credentials: { listIssued: async () => ({ credentials: [] }) },
        presentations: { list: async () => ({ presentations: [] }) },
        wallet: { list: async () => ({ wallets: [] }) },
        webhooks: { list: async () => ({ webhooks: [] }) },
        exchange: {
            listAllConfigurations: async () => ({ configurations: [] }),
            listOffers: async () => ({ offers: [] }),
        },
        events: { listEvents: async () => ({ events: [], next: 0 }) },
    };
    const roles = Object.keys(stubs) as ServiceRole[];
    const services = roles.map((role) => {
        const definition = SERVICE_DEFINITIONS[role] as Parameters<typeof stubService>[0];
        return [role, stubService(definition, { ...stubs[role], ...replaced[role] } as never)];
    });
    const gateway = await startGateway({
        config: loadConfig({ INTERNAL_SECRET: 'the internal secret of this test', PORT: '0' }),
        services: Object.fromEntries(services) as Services,
        redis,
        limiter: testLimiter({ redis }),
        requestCounts: UNCOUNTED,
        version: '0',
        log: quiet,
        metrics: createMetrics(),
        clock: Date.now,
    });
    t.after(() => gateway.stop());
    return `${gateway.url}/v1/me/export`;
}

const as = ({ session }: { session: { token: string } }) => ({ headers: { Authorization: `Bearer ${session.token}` } });

/** The text of a whole export. */
async function whole(url: string, options: RequestInit): Promise<string> {
    const response = await fetch(url, options);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.match(text, /"kind":"end".*\n$/);
    return text;
}

test('an account has one export at a time, until its client disconnects, and then nothing more is read', async (t) => {
    const [ada, eve] = [await signedIn({ identity }), await signedIn({ identity })];
    const reading = Promise.withResolvers<CallContext>();
    const readLater: Array<string | undefined> = [];
    const state = { holds: true };
    const url = await started(t, {
        did: {
            list: (_request, context) =>
                new Promise((resolve) => {
                    if (!state.holds || context.user_id !== ada.user.user_id) return resolve({ dids: [] });
                    reading.resolve(context);
                    context.cancellation.onCancelled(() => resolve({ dids: [] })); // as if it had been read in time
                }),
        },
        presentations: {
            async list(_request, { user_id }) {
                readLater.push(user_id);
                return { presentations: [] };
            },
        },
    });
    const first = get(url, as(ada)).on('error', () => {});
    const context = await reading.promise;

    const refused = await fetch(url, as(ada));
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('Retry-After'), '10');
    assert.match(await refused.text(), /Another export is under way/);
    await whole(url, as(eve));

    state.holds = false;
    first.destroy();
    await until('the export is cancelled', () => context.cancellation.isCancelled);
    await until('the place is free', async () => {
        const answer = await fetch(url, as(ada));
        await answer.text();
        return answer.status === 200;
    });
    readLater.length = 0;
    await whole(url, as(ada));
    assert.deepEqual(readLater, [ada.user.user_id]);
});

test('an export whose first page fails is refused, and one whose later page fails breaks off', async (t) => {
    const ada = await signedIn({ identity });
    const state: { fails: 'first' | 'later' | 'none' } = { fails: 'first' };
    const fail = () => new AppError('unavailable', 'Away.', { retry_after: 7, reason: 'database' });
    const url = await started(t, {
        identity: {
            async getUser(request, context) {
                if (state.fails === 'first') throw fail();
                return identity.getUser(request, context);
            },
        },
        did: {
            async list() {
                if (state.fails === 'later') throw fail();
                return { dids: [] };
            },
        },
    });
    const refused = await fetch(url, as(ada));
    assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [503, '7']);
    assert.equal(((await refused.json()) as { status: string }).status, 'error');

    state.fails = 'later';
    const cut = await fetch(url, as(ada));
    assert.equal(cut.status, 200);
    await assert.rejects(cut.text());

    state.fails = 'none';
    await until('the place is free', async () => {
        const answer = await fetch(url, as(ada));
        await answer.text();
        return answer.status === 200;
    });
});

test('a page has the time limit of a call, not the export, and HEAD reads only the first one', async (t) => {
    const ada = await signedIn({ identity });
    const deadlines: number[] = [];
    const cursors = [undefined, 'second', undefined];
    const url = await started(t, {
        credentials: {
            async listIssued(_request, { deadline }) {
                deadlines.push(deadline);
                return { credentials: [], next_cursor: cursors[deadlines.length] };
            },
        },
    });
    assert.equal((await fetch(url, { ...as(ada), method: 'HEAD' })).status, 200);
    await whole(url, as(ada));
    assert.equal(deadlines.length, 2);
    const [one = 0, two = 0] = deadlines;
    assert.ok(two > one);
});
