import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { withIdempotencyKey } from '../../../../platform/context.ts';
import { AppError } from '../../../../platform/errors.ts';
import { sql } from '../../../../platform/postgres/db.ts';
import { CredentialsServiceDefinition, type StatusPlace } from '../../../../proto/gen/credentials/v1/credentials.ts';
import { credentialsService } from '../../../../services/credentials/service.ts';
import { LIST_PLACES, permutation } from '../../../../services/credentials/status-lists/permutation.ts';
import { BLOCK_PLACES } from '../../../../services/credentials/status-lists/places.ts';
import { type Credentials, refuses, requestBy, shown } from '../../../integration/credentials/credentials.fixture.ts';
import { reached } from '../../../integration/services/reached.ts';
import { PUBLIC_URL } from '../../../integration/signing/signing.fixture.ts';
import { listIdOf, placeOf, startListing } from '../../../integration/status-lists/status-lists.fixture.ts';
import { testContext } from '../../../support/harness.ts';

const services = await startListing();
const { db, did, signing, dependencies, credentials, issuer, issue, issueListed } = services;

/** Another process with the same database. */
function anotherProcess(changes: { publicUrl?: string | undefined; signing?: typeof signing } = {}): Credentials {
    const { signing: signs = signing, ...own } = changes;
    const deps = { ...dependencies, ...own, services: { did, signing: signs }, listScope: 'owner' as const };
    return reached(CredentialsServiceDefinition, credentialsService(deps));
}

const issueAt = (service: Credentials) => service.issue(requestBy(issuer, { status_list: true }), issuer.context);
const keyOf = ({ uri, idx }: StatusPlace) => `${uri} ${idx}`;
/** The payload of a token as text, so that the order of its members shows. */
const payloadOf = (token: string) =>
    Buffer.from(token.slice('v4.public.'.length), 'base64url').subarray(0, -64).toString();

describe('a credential that is issued with status_list', () => {
    it('names its place in its token and in the answer', async () => {
        const credential = await issueListed();
        const { status_key } = { status_key: (await signing.getStatusKey({}, testContext())).did };
        const place = placeOf(credential);
        assert.equal(place.iss, status_key);
        assert.match(place.uri, new RegExp(`^${PUBLIC_URL}/v1/status-lists/[0-9a-f-]{36}$`));
        assert.deepEqual(JSON.parse(payloadOf(credential.credential)).status, { status_list: place });
    });

    it('is on a list that can be read from then on', async () => {
        assert.equal(await services.isRevoked(placeOf(await issueListed())), false);
    });

    it('has a place that no other credential has, however many processes issue at once', async () => {
        const processes = [credentials, anotherProcess(), anotherProcess()];
        const issued = await Promise.all(
            processes.flatMap((service) => Array.from({ length: 400 }, () => issueAt(service))),
        );
        const places = issued.map(placeOf);
        assert.equal(new Set(places.map(keyOf)).size, 1_200);
        assert.equal(new Set(places.map(({ uri }) => uri)).size, 1, 'all of them are on the open list');
    });

    it('gets the same token again for the same Idempotency-Key, also from another process', async () => {
        const request = requestBy(issuer, { status_list: true });
        const call = (service: Credentials, key: string) =>
            service.issue(request, withIdempotencyKey(issuer.context, key));
        const key = randomUUID();
        const first = await call(credentials, key);
        placeOf(first);
        for (const service of [credentials, anotherProcess()]) assert.deepEqual(await call(service, key), first);
        assert.notDeepEqual(placeOf(await call(credentials, randomUUID())), placeOf(first));
    });

    it('is another request than one without status_list', async () => {
        const context = () => withIdempotencyKey(issuer.context, key);
        const key = randomUUID();
        await credentials.issue(requestBy(issuer), context());
        await refuses('unprocessable', credentials.issue(requestBy(issuer, { status_list: true }), context()));
    });

    it('is refused if the service has no PUBLIC_URL', async () => {
        const service = anotherProcess({ publicUrl: undefined });
        await refuses('invalid', issueAt(service));
        await service.issue(requestBy(issuer), issuer.context);
    });

    it('is refused, and nothing is written, if no list can be begun', async () => {
        const away = { ...signing, getStatusKey: () => new Promise<never>(() => {}) };
        const service = anotherProcess({ publicUrl: 'https://other.example', signing: away });
        const rows = () => db.rows(sql.unsafe`SELECT id FROM credentials.credentials`);
        const before = (await rows()).length;
        await refuses('unavailable', issueAt(service));
        assert.equal((await rows()).length, before);
    });
});

describe('a batch', () => {
    it('gives a place to each item that asks for one, and the same one when it is repeated', async () => {
        const { issuer_did, issuer_private_key, ...item } = requestBy(issuer);
        const items = [{ ...item, status_list: true }, item, { ...item, status_list: true }];
        const batch = { issuer_did, issuer_private_key, items, refused_places: [] };
        const key = randomUUID();
        const run = () => credentials.issueMany(batch, withIdempotencyKey(issuer.context, key));
        const { results } = await run();
        assert.deepEqual(
            results.map(({ value }) => value?.status !== undefined),
            [true, false, true],
        );
        assert.notEqual(results[0]?.value?.status?.idx, results[2]?.value?.status?.idx);
        assert.deepEqual((await run()).results, results);
    });
});

describe('a credential without status_list', () => {
    it('is what it was before there were status lists', async () => {
        const credential = await issue();
        const { credential_id, credential: token, ...rest } = shown(credential);
        assert.deepEqual(Object.keys(rest), ['issuer', 'subject', 'credential_type', 'issued_at']);
        assert.deepEqual(Object.keys(JSON.parse(payloadOf(token))), [
            'typ',
            'jti',
            'iss',
            'sub',
            'credential_type',
            'iat',
            'claims',
        ]);
        const id = credential_id.replace('urn:uuid:', '');
        const [row] = await db.rows(sql.unsafe`
            SELECT status_list, status_index FROM credentials.credentials WHERE id = ${id}`);
        assert.deepEqual({ ...(row as object) }, { status_list: null, status_index: null });
    });
});

describe('a full list', () => {
    it('is closed, and the next one is begun once, by whichever process', async () => {
        const last = LIST_PLACES - BLOCK_PLACES;
        await db.rows(sql.unsafe`UPDATE credentials.status_lists SET taken = ${last}`);
        const processes = [anotherProcess(), anotherProcess(), anotherProcess()];
        const issued = await Promise.all(
            processes.flatMap((service) => Array.from({ length: 4 }, () => issueAt(service))),
        );
        const places = issued.map(placeOf);
        assert.equal(new Set(places.map(keyOf)).size, issued.length);
        assert.equal(new Set(places.map(({ uri }) => uri)).size, 2);
        const { lists } = await credentials.listStatusLists({}, testContext());
        assert.deepEqual(new Set(lists.map(({ list_id }) => list_id)), new Set(places.map(listIdOf)));
    });

    it('gives its last places out, and none twice', async () => {
        const publicUrl = 'https://full.example';
        const service = anotherProcess({ publicUrl });
        await issueAt(service);
        await db.rows(sql.unsafe`
            UPDATE credentials.status_lists SET taken = ${LIST_PLACES - BLOCK_PLACES} WHERE public_url = ${publicUrl}`);
        const successor = anotherProcess({ publicUrl });
        const places: StatusPlace[] = [];
        for (let place = 0; place <= BLOCK_PLACES; place++) places.push(placeOf(await issueAt(successor)));
        const uris = places.map(({ uri }) => uri);
        assert.equal(new Set(uris.slice(0, -1)).size, 1);
        assert.notEqual(uris.at(-1), uris[0], 'the place after the last one is on another list');
        assert.equal(new Set(places.map(keyOf)).size, places.length);
    });
});

describe('an outage of signing', () => {
    it('uses up no places and no lists', async () => {
        const publicUrl = 'https://outage.example';
        let failures = 50;
        const failing: typeof signing = {
            ...signing,
            async signStatusList(request, context) {
                if (failures-- > 0)
                    throw new AppError('unavailable', 'The key-encryption key cannot be reached.', { reason: 'kek' });
                return signing.signStatusList(request, context);
            },
        };
        const service = anotherProcess({ publicUrl, signing: failing });
        const taken = () =>
            db.rows(sql.type(z.strictObject({ taken: z.number() }))`
                SELECT taken FROM credentials.status_lists WHERE public_url = ${publicUrl}`);
        while (failures > 0) await refuses('unavailable', issueAt(service));
        assert.deepEqual(
            (await taken()).map((row) => row.taken),
            [0],
        );
        await issueAt(service);
        assert.deepEqual(
            (await taken()).map((row) => row.taken),
            [BLOCK_PLACES],
        );
    });
});

describe('a call that issues nothing', () => {
    it('takes no place: one with a wrong key, and a repeated one', async () => {
        const publicUrl = 'https://spared.example';
        const service = anotherProcess({ publicUrl });
        const request = requestBy(issuer, { status_list: true });
        const context = () => withIdempotencyKey(issuer.context, key);
        const key = randomUUID();
        const first = await service.issue(request, context());
        await service.issue(request, context());
        await refuses('unprocessable', service.issue({ ...request, claims: '{}' }, context()));
        for (const wrong of [Buffer.alloc(32), Buffer.alloc(31), undefined]) {
            await refuses('invalid', service.issue({ ...request, issuer_private_key: wrong }, issuer.context));
        }
        const second = await issueAt(service);
        const [list] = await db.rows(sql.type(z.strictObject({ permutation_key: z.instanceof(Buffer) }))`
            SELECT permutation_key FROM credentials.status_lists WHERE public_url = ${publicUrl}`);
        const indexOf = permutation(list?.permutation_key ?? assert.fail('there is no list'));
        assert.deepEqual([placeOf(first).idx, placeOf(second).idx], [indexOf(0), indexOf(1)]);
    });
});
