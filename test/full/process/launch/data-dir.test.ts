import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keptSecret, keptSigningKey, openDataDir } from '../../../../deploy/local/data-dir.ts';
import { lockDataDir } from '../../../../deploy/local/lock.ts';
import { temporaryDataDir } from './launch.ts';

test('a secret is created once, differs from every other one, and only its owner may read it', (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    const secret = keptSecret(dataDir, 'internal-secret');
    assert.equal(Buffer.from(secret, 'base64url').length, 32);
    assert.equal(keptSecret(dataDir, 'internal-secret'), secret);
    assert.notEqual(keptSecret(dataDir, 'service-token'), secret);
    assert.equal(statSync(join(dataDir, 'internal-secret')).mode & 0o777, 0o600);
});

test('the key that signs sessions is an Ed25519 key that stays the same', (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    const pem = readFileSync(keptSigningKey(dataDir), 'utf8');
    assert.equal(createPrivateKey(pem).asymmetricKeyType, 'ed25519');
    assert.equal(readFileSync(keptSigningKey(dataDir), 'utf8'), pem);
    assert.equal(statSync(keptSigningKey(dataDir)).mode & 0o777, 0o600);
});

test('a data folder that cannot be created is refused with an error that names it', (t) => {
    const dataDir = temporaryDataDir(t);
    assert.throws(() => openDataDir('/proc/no/such/folder'), /Cannot use .* as DATA_DIR/);
    assert.equal(openDataDir(join(dataDir, 'a', 'b')), join(openDataDir(dataDir), 'a', 'b'));
});

test('the lock of a dead start does not hold, even if its pid now belongs to another process', async (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    writeFileSync(join(dataDir, 'launcher.json'), JSON.stringify({ pid: process.ppid, state: 'running' }));
    const lock = await lockDataDir(dataDir);
    await lock.release();
});

test('a data folder is locked under every name it has', async (t) => {
    const path = temporaryDataDir(t);
    const dataDir = openDataDir(path);
    mkdirSync(join(dataDir, 'sub'));
    symlinkSync('..', join(dataDir, 'sub', 'link'));
    const lock = await lockDataDir(dataDir);
    await assert.rejects(lockDataDir(openDataDir(join(path, 'sub', 'link'))), new RegExp(`pid ${process.pid}`));
    await lock.release();
});

test('a start waits for one that is stopping', async (t) => {
    const dataDir = openDataDir(temporaryDataDir(t));
    const first = await lockDataDir(dataDir);
    first.stopping();
    const second = lockDataDir(dataDir);
    await first.release();
    await (await second).release();
});
