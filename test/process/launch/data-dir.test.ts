import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keptSecret, keptSigningKey, openDataDir } from '../../../deploy/local/data-dir.ts';
import { lockDataDir } from '../../../deploy/local/lock.ts';
import { temporaryDataDir } from './launch.ts';

test('a secret is made once, differs from every other and only its owner may read it', (t) => {
    const data_dir = openDataDir(temporaryDataDir(t));
    const secret = keptSecret(data_dir, 'internal-secret');
    assert.equal(Buffer.from(secret, 'base64url').length, 32);
    assert.equal(keptSecret(data_dir, 'internal-secret'), secret);
    assert.notEqual(keptSecret(data_dir, 'service-token'), secret);
    assert.equal(statSync(join(data_dir, 'internal-secret')).mode & 0o777, 0o600);
});

test('the key that signs sessions is an Ed25519 key that stays the same', (t) => {
    const data_dir = openDataDir(temporaryDataDir(t));
    const pem = readFileSync(keptSigningKey(data_dir), 'utf8');
    assert.equal(createPrivateKey(pem).asymmetricKeyType, 'ed25519');
    assert.equal(readFileSync(keptSigningKey(data_dir), 'utf8'), pem);
    assert.equal(statSync(keptSigningKey(data_dir)).mode & 0o777, 0o600);
});

test('a data folder that cannot be made is refused, and said so', (t) => {
    const data_dir = temporaryDataDir(t);
    assert.throws(() => openDataDir('/proc/no/such/folder'), /Cannot use .* as DATA_DIR/);
    assert.equal(openDataDir(join(data_dir, 'a', 'b')), join(openDataDir(data_dir), 'a', 'b'));
});

test('the lock of a dead start is no lock, even if its pid now belongs to another process', async (t) => {
    const data_dir = openDataDir(temporaryDataDir(t));
    writeFileSync(join(data_dir, 'launcher.json'), JSON.stringify({ pid: process.ppid, state: 'running' }));
    const lock = await lockDataDir(data_dir);
    await lock.release();
});

test('a data folder is locked under every name it has', async (t) => {
    const path = temporaryDataDir(t);
    const data_dir = openDataDir(path);
    mkdirSync(join(data_dir, 'sub'));
    symlinkSync('..', join(data_dir, 'sub', 'link'));
    const lock = await lockDataDir(data_dir);
    await assert.rejects(lockDataDir(openDataDir(join(path, 'sub', 'link'))), new RegExp(`pid ${process.pid}`));
    await lock.release();
});

test('a start waits for one that is stopping', async (t) => {
    const data_dir = openDataDir(temporaryDataDir(t));
    const first = await lockDataDir(data_dir);
    first.stopping();
    const second = lockDataDir(data_dir);
    await first.release();
    await (await second).release();
});
