import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ConfigError, loadConfig } from '../../../../platform/process/config.ts';
import { cpuMs } from '../../cpu-time.ts';

const read = (text: string) => loadConfig({ PUBLIC_URL: text }).PUBLIC_URL;

it('PUBLIC_URL is kept without a trailing slash', () => {
    assert.equal(read('https://credentials.example'), 'https://credentials.example');
    assert.equal(read('https://credentials.example:8443/base/'), 'https://credentials.example:8443/base');
    assert.equal(read('http://localhost:8080/'), 'http://localhost:8080');
    assert.equal(read(''), undefined);
});

it('PUBLIC_URL is read in linear time', () => {
    const start = cpuMs();
    read(`https://credentials.example${'/'.repeat(1 << 17)}x`);
    assert.ok(cpuMs() - start < 2_000);
});

it('PUBLIC_URL is refused with credentials, a query, a fragment or another scheme', () => {
    for (const odd of [
        'https://user:word@a.example',
        'https://a.example?x',
        'https://a.example#x',
        'https://a.example?',
        'https://a.example/#',
        'ftp://a.example',
        'x',
    ]) {
        assert.throws(() => read(odd), ConfigError, odd);
    }
});
