import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import process from 'node:process';
import { describe, it } from 'node:test';
import { ConfigError } from '../../../../platform/process/config.ts';
import { reachableAddresses } from '../../../../services/webhooks/sender/addresses.ts';
import { retryAfterMs } from '../../../../services/webhooks/sender/retry-after.ts';
import { hostOf, requireWebhookUrl } from '../../../../services/webhooks/sender/url.ts';
import { publicAddresses } from '../../../../verify/src/public-fetch.ts';
import { CLOSED_HOSTS } from '../../../support/webhooks/closed-hosts.ts';

const isReachable = reachableAddresses([]);
/** The offline verifier has a list of its own. */
const isPublicForVerifier = publicAddresses(process.getBuiltinModule as Parameters<typeof publicAddresses>[0]);

/** The first and the last public address beside each network that is not. */
const PUBLIC =
    '1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 2000::1 2001:200::1 2001:db7::1 2001:db9::1 2001:ffff::1 2003::1 2606:4700::1111 3ffe::1 3fff:1000::1'.split(
        ' ',
    );

const judged = (text: string) => requireWebhookUrl(text, isReachable).href;
const refusal = (text: string, detail: RegExp) =>
    assert.throws(() => judged(text), { kind: 'invalid', message: detail }, text);

describe('the URL of a webhook', () => {
    it('has no host that is not public, in whatever form it is written', () => {
        assert.ok(CLOSED_HOSTS.length >= 40);
        for (const host of CLOSED_HOSTS) refusal(`https://${host}/hooks`, /public address/);
    });

    it('may have any public address', () => {
        for (const address of PUBLIC) {
            const host = address.includes(':') ? `[${address}]` : address;
            assert.ok(judged(`https://${host}/hooks`), address);
        }
    });

    it('is judged as the offline verifier judges addresses', () => {
        const closed = CLOSED_HOSTS.map((host) => hostOf(new URL(`https://${host}`))).filter((host) => isIP(host) > 0);
        for (const address of [...closed, ...PUBLIC]) {
            const expected = isPublicForVerifier({ address, family: isIP(address) });
            assert.equal(isReachable(address), expected, address);
        }
    });

    it('may have an address in an allowed network, and no other one', () => {
        const allowed = reachableAddresses(['127.0.0.0/30', 'fd00:1::/32']);
        for (const host of ['127.0.0.1', '127.1', '0x7f.2', '[::ffff:127.0.0.1]', '[fd00:1::5]', 'localhost'])
            assert.ok(requireWebhookUrl(`https://${host}/`, allowed), host);
        for (const host of ['127.0.0.4', '10.0.0.1', '[fd00:2::1]', '[::1]'])
            assert.throws(() => requireWebhookUrl(`https://${host}/`, allowed), { kind: 'invalid' }, host);
    });

    it('is judged only with allowed networks that can match, and an error names the entry that cannot', () => {
        for (const network of [
            '10.1.2.3/16',
            '::ffff:10.0.0.0/104',
            'fe80::%1/64',
            'fd00::1/8',
            '10.0.0.0/33',
            '10.1.2.3',
            'host/8',
        ])
            assert.throws(
                () => reachableAddresses(['fd00::/8', network]),
                (error) => error instanceof ConfigError && /^WEBHOOK_NETWORKS: entry 2 must/.test(error.message),
                network,
            );
    });

    it('has the scheme https, no credentials, and the port 443 or one from 1024 on', () => {
        for (const text of ['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd', 'data:,x'])
            refusal(text, /must begin with https/);
        for (const user of ['user', 'user:pass', ':pass'])
            refusal(`https://${user}@example.com/`, /user name or a password/);
        for (const port of [0, 22, 25, 80, 444, 1_023])
            refusal(`https://example.com:${port}/`, /must have the port 443/);
        for (const text of ['', 'hooks', '//example.com/', 'https://', 'https://exa mple.com', 'https://a:65536/'])
            refusal(text, /must be a URL/);
        // zones, and what is no address
        for (const host of [
            '[fe80::1%25eth0]',
            '[::1%lo]',
            '[::1%25]',
            '127.0.0.1%00',
            '[::ffff:0x7f.1]',
            '0x100000000',
            '256.1',
        ])
            refusal(`https://${host}/`, /must be a URL/);
        assert.equal(judged(' HTTPS://Example.COM:443/a b?c#d'), 'https://example.com/a%20b?c#d');
        for (const port of [1_024, 8_443, 65_535]) assert.ok(judged(`https://example.com:${port}/`));
    });

    it('is judged by the host to which it leads, whatever stands around it', () => {
        for (const text of [
            'https:127.0.0.1/',
            'https:\\\\127.0.0.1\\',
            'https:///127.0.0.1/',
            'https://127.0.0.1\\@example.com/',
            'https://127.0.0.1#@example.com/',
            'https://127.0.0.1?@example.com/',
            ' https://127.0.0.1:8443/',
        ])
            refusal(text, /public address/);
        for (const text of [
            'https://example.com@127.0.0.1/',
            'https://example.com%2f@127.0.0.1/',
            'https://@:@127.0.0.1/x',
        ])
            refusal(text, /user name or a password|public address/);
        assert.equal(judged('https://example.com\\@127.0.0.1/'), 'https://example.com/@127.0.0.1/');
        assert.equal(judged('https://example.com#@127.0.0.1/'), 'https://example.com/#@127.0.0.1/');
    });

    it('has a name that DNS can have', () => {
        const label = 'a'.repeat(63);
        assert.ok(judged(`https://${label}.${label}.example.com./`));
        for (const host of [`${label}a.example.com`, 'a..example.com', '.example.com', `${'a.'.repeat(127)}ab`])
            refusal(`https://${host}/`, /public address/);
    });

    it('has at most 2048 characters, with what is encoded', () => {
        const start = 'https://example.com/';
        assert.equal(judged(start.padEnd(2_048, 'a')).length, 2_048);
        refusal(start.padEnd(2_049, 'a'), /at most 2048/);
        refusal(start.padEnd(2_000, '€'), /at most 2048/);
    });
});

describe('Retry-After', () => {
    it('is read in seconds and as a date', (t) => {
        t.mock.method(Date, 'now', () => Date.UTC(2026, 0, 1));
        const read: ReadonlyArray<[string | undefined, number | undefined]> = [
            ['0', 0],
            ['120', 120_000],
            ['999999999', 999_999_999_000],
            ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
            ['Thu, 01 Jan 2025 00:00:00 GMT', 0],
            ['Sat, 01 Jan 2028 00:00:00 GMT', 730 * 86_400_000],
            ['Thu, 99 Jan 2026 00:00:30 GMT', undefined],
            ['-1', undefined],
            ['1.5', undefined],
            ['soon', undefined],
            [undefined, undefined],
        ];
        for (const [text, ms] of read) assert.equal(retryAfterMs(text), ms, text);
    });
});
