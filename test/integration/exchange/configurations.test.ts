import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { testContext } from '../../support/harness.ts';
import { refuses } from '../credentials/credentials.fixture.ts';
import { exchangeFixture } from './exchange.fixture.ts';

const { service } = await exchangeFixture();

it('an account lists the configurations of all its issuers page by page, and no others', async () => {
    const [owner, other] = [testContext({ user_id: randomUUID() }), testContext({ user_id: randomUUID() })];
    const described = { format: 'dc+sd-jwt', vct: 'https://club.example/', display: [], claims: [], proof_algs: [] };
    const made: string[] = [];
    for (const context of [owner, other, owner, owner]) {
        const issuer = randomUUID();
        for (let number = 0; number < 31; number++) {
            const request = { issuer_id: issuer, configuration_id: `c${number}`, ...described };
            const { configuration_id: id } = await service.createConfiguration(request, context);
            if (context === owner) made.push(`${issuer} ${id}`);
        }
    }
    const first = await service.listAllConfigurations({}, owner);
    const second = await service.listAllConfigurations({ cursor: first.next_cursor }, owner);
    assert.deepEqual([first.configurations.length, second.configurations.length], [90, 3]);
    assert.equal(second.next_cursor, undefined);
    const listed = [...first.configurations, ...second.configurations];
    assert.deepEqual(
        listed.map(({ issuer_id, configuration_id }) => `${issuer_id} ${configuration_id}`),
        made.toSorted(),
    );
    const { configurations } = await service.listAllConfigurations({ cursor: `${randomUUID()}/c0` }, other);
    assert.ok(configurations.every(({ issuer_id }) => !made.some((place) => place.startsWith(issuer_id))));
    for (const cursor of ['', 'x', '/', `${randomUUID()}/`, `${randomUUID()}/\0`]) {
        await refuses('invalid', service.listAllConfigurations({ cursor }, owner));
    }
});
