import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICE_DEFINITIONS } from '../../proto/services.ts';
import type { Owner } from '../../services/idempotency/claims.store.ts';
import { OPERATIONS } from '../../services/idempotency/idempotency.ts';
import { codeIn, rowsOf } from '../../tools/reference/page-tables.ts';
import { endpoints } from '../support/openapi.ts';

const owners = Object.keys(OPERATIONS).sort() as Owner[]; // its keys are all owners

test('docs/grpc.md lists exactly the methods that take an Idempotency-Key, and the protos have them', () => {
    const expected = owners.map((owner) => [owner, Object.values(OPERATIONS[owner]).sort()]);
    const rows = rowsOf('docs/grpc.md', 'Deadlines and retries').filter(
        ([, methods = '']) => codeIn(methods).length > 0,
    );
    const listed = rows.flatMap(([owner = '', methods = '']) =>
        owner.startsWith('`') ? [[codeIn(owner)[0], codeIn(methods).sort()]] : [],
    );
    assert.deepEqual(listed, expected);
    for (const owner of owners) {
        const { methods } = SERVICE_DEFINITIONS[owner];
        const names = Object.values(methods).map(({ name }) => name as string);
        for (const method of Object.values(OPERATIONS[owner])) assert.ok(names.includes(method), `${owner} ${method}`);
    }
});

test('every endpoint that takes an Idempotency-Key has an operation, and every operation an endpoint', () => {
    const taking: string[] = endpoints.filter(({ byKey }) => byKey).map(({ id }) => id);
    const claimed = owners.flatMap((owner) => Object.keys(OPERATIONS[owner]));
    const isVariant = (id: string) => taking.includes(id.replace('internal.', '')) && id.startsWith('internal.');
    assert.deepEqual(taking.filter((id) => !isVariant(id)).sort(), claimed.sort());
});
