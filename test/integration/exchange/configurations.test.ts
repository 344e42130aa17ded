import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import type { ClaimPathStep } from '../../../proto/gen/exchange/v1/exchange.ts';
import { credentialIssuer } from '../../../services/exchange/rules.ts';
import { testContext } from '../../support/harness.ts';
import { refuses } from '../credentials/credentials.fixture.ts';
import { exchangeFixture } from './exchange.fixture.ts';

const { service } = await exchangeFixture();
const DESCRIBED = { format: 'dc+sd-jwt', vct: 'https://club.example/', display: [], claims: [], proof_algs: [] };

it('an account lists the configurations of all its issuers page by page, and no others', async () => {
    const [owner, other] = [testContext({ user_id: randomUUID() }), testContext({ user_id: randomUUID() })];
    const made: string[] = [];
    for (const context of [owner, other, owner, owner]) {
        const issuer = randomUUID();
        for (let number = 0; number < 31; number++) {
            const request = { issuer_id: issuer, configuration_id: `c${number}`, ...DESCRIBED };
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

it('a configuration that would make wallets refuse all of its issuer is refused', async () => {
    const context = testContext({ user_id: randomUUID() });
    const pathsOf = (...paths: ClaimPathStep[][]) => paths.map((path) => ({ path, mandatory: false, display: [] }));
    const [a, b, all, first, second] = [{ name: 'a' }, { name: 'b' }, {}, { index: 0 }, { index: 1 }];
    const create = (more: object) =>
        service.createConfiguration(
            { issuer_id: randomUUID(), configuration_id: 'card', ...DESCRIBED, ...more },
            context,
        );
    for (const logo of ['https://', 'https://?', 'https://a:b:c/'])
        await refuses('invalid', create({ display: [{ name: 'Card', logo }] }));
    for (const paths of [
        [[a], [a]],
        [
            [a, all],
            [a, first],
        ],
        [
            [a, first, b],
            [a, b],
        ],
    ])
        await refuses('invalid', create({ claims: pathsOf(...paths) }));
    await create({ claims: pathsOf([a], [a, first], [a, second, b], [b, all], [b, all, a]) });
});

it('an issuer can offer nothing at an address without https', () => {
    for (const url of [undefined, 'http://localhost:8080'])
        assert.throws(() => credentialIssuer(url, randomUUID()), { kind: 'not_found' });
    assert.equal(credentialIssuer('https://club.example', 'a'), 'https://club.example/issuers/a');
});
