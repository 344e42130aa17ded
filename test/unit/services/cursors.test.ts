import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { cursors, type ListScope } from '../../../services/cursors.ts';

const OLD = 'the service token before the rotation';
const NEW = 'the service token after the rotation';
const own = cursors([OLD]);
const scope: ListScope = { list: 'credentials_by_issuer', account: newId(), of: 'did:key:issuer' };

function refuses(cursor: string, by = own, of: ListScope = scope): void {
    assert.throws(
        () => by.open(cursor, of),
        (error) => error instanceof AppError && error.kind === 'invalid',
    );
}

test('a cursor opens to its id in every process, and reveals nothing to its reader', () => {
    const id = newId();
    const cursor = own.seal(id, scope);
    assert.equal(cursors([OLD]).open(cursor, { ...scope }), id);
    assert.match(cursor, /^[\w-]{60}$/);
    const bytes = Buffer.from(cursor, 'base64url').toString('hex');
    assert.ok(!bytes.includes(id.replaceAll('-', '')));
    assert.notEqual(own.seal(id, scope), cursor);
});

test('a cursor that was changed, or made up, is refused', () => {
    const id = newId();
    const cursor = own.seal(id, scope);
    for (let place = 0; place < cursor.length; place++) {
        const changed = cursor[place] === 'A' ? 'B' : 'A';
        refuses(`${cursor.slice(0, place)}${changed}${cursor.slice(place + 1)}`);
    }
    const bare = Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
    for (const text of ['', id, bare, cursor.slice(1), `${cursor}A`, `${cursor} `, 'A'.repeat(60), '€'.repeat(60)]) {
        refuses(text);
    }
});

test('a cursor of another list, another DID or another account is refused', () => {
    const cursor = own.seal(newId(), scope);
    const others: ListScope[] = [
        { ...scope, list: 'credentials_by_subject' },
        { ...scope, of: 'did:key:other' },
        { ...scope, account: newId() },
        { ...scope, account: undefined },
        { list: 'keys', account: scope.account },
    ];
    for (const other of others) refuses(cursor, own, other);
});

test('during a rotation of secrets every process opens the cursors of any other, and afterwards old cursors are refused', () => {
    const id = newId();
    const steps = [[OLD], [OLD, NEW], [NEW, OLD], [NEW]] as const;
    for (const [index, secrets] of steps.entries()) {
        for (const other of [steps[index - 1], steps[index + 1]]) {
            if (!other) continue;
            assert.equal(cursors(other).open(cursors(secrets).seal(id, scope), scope), id);
        }
    }
    refuses(own.seal(id, scope), cursors([NEW]));
});
