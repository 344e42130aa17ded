import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { after, beforeEach, describe, it } from 'node:test';
import { type Sender, webhookSender } from '../../../services/webhooks/sender/sender.ts';
import { hostOf } from '../../../services/webhooks/sender/url.ts';
import { CLOSED_HOSTS } from '../../support/webhooks/closed-hosts.ts';
import { dnsServer } from '../../support/webhooks/dns-server.ts';
import { ROOT, startReceiver } from './receiver.ts';

/** What the DNS server answers, and what it was asked. */
let zone: (name: string, type: 'A' | 'AAAA') => readonly string[] | undefined = () => [];
let asked: string[] = [];
const dns = await dnsServer((name, type) => {
    asked.push(`${name} ${type}`);
    return zone(name, type);
});
const receiver = await startReceiver(['hooks.example'], ({ url = '' }, response) => {
    const status = Number(/^\/(\d{3})$/.exec(url)?.[1] ?? 200);
    const to = url.endsWith('1')
        ? `https://hooks.example:${receiver.port}/inside`
        : 'https://169.254.169.254/latest/meta-data/';
    const location = status < 400 && status >= 300 ? { Location: to } : {};
    response.writeHead(status, { ...location, Connection: 'close' }).end();
});
const resolver = new Resolver({ timeout: 2_000, tries: 1 });
resolver.setServers([dns.server]);
const senders: Sender[] = [];
after(async () => {
    for (const sender of senders) await sender.close();
    await receiver.close();
    dns.close();
});

/** A sender for which these addresses are public. */
function sender(...addresses: string[]): Sender {
    const allowedNetworks = addresses.map((address) => `${address}/32`);
    const made = webhookSender({ allowedNetworks, ca: ROOT.cert, resolver });
    senders.push(made);
    return made;
}
const post = (path: string, host = 'hooks.example') => ({
    url: `https://${host}:${receiver.port}${path}`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
});
const only = (...addresses: string[]) => (zone = (_, type) => (type === 'A' ? addresses : []));

describe('a webhook', () => {
    beforeEach(() => {
        asked = [];
        for (const list of [receiver.connections, receiver.reachedAt, receiver.requests]) list.length = 0;
    });

    it('is never sent to a host that is not public, in whatever form it is written', async () => {
        only('127.0.0.1');
        const closed = sender();
        for (const host of CLOSED_HOSTS) assert.equal((await closed.send(post('/', host))).kind, 'refused', host);
        assert.deepEqual(asked, []);
        assert.equal(receiver.connections.length, 0);
    });

    it('is never sent to a name of such an address', async () => {
        const closed = sender();
        const hosts = CLOSED_HOSTS.map((host) => hostOf(new URL(`https://${host}`)));
        for (const address of hosts.filter((host) => isIP(host) > 0)) {
            zone = (_, type) => ((type === 'A') === (isIP(address) === 4) ? [address] : []);
            const outcome = await closed.send(post('/'));
            const reason = 'The name of the host has an address that is not public.';
            assert.deepEqual(outcome, { kind: 'refused', reason }, address);
        }
        assert.equal(receiver.connections.length, 0);
    });

    it('is sent to the address that was judged, although the DNS server then names another one', async () => {
        const answers = [['127.0.0.2'], ['127.0.0.1']];
        zone = (_, type) => (type === 'A' ? (answers.shift() ?? ['127.0.0.1']) : []);
        const open = sender('127.0.0.2');
        assert.equal((await open.send(post('/'))).kind, 'answered');
        assert.deepEqual(asked.sort(), ['hooks.example A', 'hooks.example AAAA']);
        assert.deepEqual(receiver.reachedAt, ['127.0.0.2']);
        // The receiver has closed the connection, so the next delivery looks the name up again.
        assert.equal((await open.send(post('/'))).kind, 'refused');
        assert.deepEqual(receiver.reachedAt, ['127.0.0.2']);
    });

    it('is not sent if one address of the name is not public, in either family', async () => {
        const open = sender('127.0.0.2', '127.0.0.3');
        only('127.0.0.2', '127.0.0.3', '127.0.0.1');
        assert.equal((await open.send(post('/'))).kind, 'refused');
        zone = (_, type) => (type === 'A' ? ['127.0.0.2'] : ['::1']);
        assert.equal((await open.send(post('/'))).kind, 'refused');
        assert.equal(receiver.connections.length, 0);
        only('127.0.0.3', '127.0.0.2');
        assert.equal((await open.send(post('/'))).kind, 'answered');
        assert.deepEqual(receiver.reachedAt, ['127.0.0.3']);
    });

    it('reaches a name that has addresses of one family only, or whose other family has no answer', async () => {
        const open = webhookSender({ allowedNetworks: ['::1/128', '127.0.0.2/32'], ca: ROOT.cert, resolver });
        senders.push(open);
        zone = (_, type) => (type === 'AAAA' ? ['::1'] : []);
        assert.equal((await open.send(post('/'))).kind, 'answered');
        zone = (_, type) => (type === 'A' ? ['127.0.0.2'] : undefined);
        assert.equal((await open.send(post('/'))).kind, 'answered');
        assert.deepEqual(receiver.reachedAt, ['::1', '127.0.0.2']);
    });

    it('follows no redirect: it is an answer', async () => {
        only('127.0.0.2');
        const open = sender('127.0.0.2');
        for (const status of [301, 302, 303, 307, 308]) {
            const outcome = await open.send(post(`/${status}`));
            assert.deepEqual(outcome, { kind: 'answered', status, retryAfterMs: undefined });
        }
        assert.deepEqual(
            receiver.requests.map(({ url }) => url),
            ['/301', '/302', '/303', '/307', '/308'],
        );
    });

    it('fails if the certificate is for another name', async () => {
        only('127.0.0.2');
        const reason = 'The TLS handshake with the host failed (ERR_TLS_CERT_ALTNAME_INVALID).';
        assert.deepEqual(await sender('127.0.0.2').send(post('/', 'other.example')), { kind: 'failed', reason });
        assert.equal(receiver.requests.length, 0);
    });

    it('fails if the name has no address or only an alias, or the DNS server is silent', async () => {
        const open = sender('127.0.0.2');
        zone = () => [];
        const reason = (code: string) => `No connection to the host was possible (${code}).`;
        assert.deepEqual(await open.send(post('/')), { kind: 'failed', reason: reason('ENODATA') });
        zone = () => ['elsewhere.example'];
        assert.deepEqual(await open.send(post('/')), { kind: 'failed', reason: reason('ENODATA') });
        zone = () => undefined;
        assert.deepEqual(await open.send(post('/')), { kind: 'failed', reason: reason('ETIMEOUT') });
    });
});
