import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exposeExpiry, type Tls } from '../../../../platform/rpc/tls.ts';
import { createMetrics } from '../../../../platform/telemetry/metrics.ts';
import { authority } from '../../../support/certificates.ts';

/** The days on which certificates expire, read from the metrics. */
async function expiries(tls: Omit<Tls, 'key'>): Promise<Record<string, string>> {
    const metrics = createMetrics();
    exposeExpiry(metrics, { key: '', ...tls });
    const { text } = await metrics.expose();
    const found = text.matchAll(/^tls_certificate_expiry_timestamp_seconds\{certificate="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries(
        Array.from(found, ([, which, seconds]) => [
            which,
            new Date(Number(seconds) * 1_000).toISOString().slice(0, 10),
        ]),
    );
}

describe('the expiry of certificates for gRPC', () => {
    const [short, long] = [authority('short', { until: '2031-02-28' }), authority('long', { until: '2042-07-01' })];
    const { cert } = short.certify('did');

    it('is exposed for the own certificate and for the authority', async () => {
        assert.deepEqual(await expiries({ cert, ca: long.cert }), { own: '2031-02-28', authority: '2042-07-01' });
        assert.deepEqual(await expiries({ cert, ca: undefined }), { own: '2031-02-28' });
    });

    it('is the earliest one if a file contains several certificates', async () => {
        const chain = `${long.certify('did').cert}and the authority behind it:\n${short.cert}`;
        const bundle = `${short.cert}${long.cert}`;
        assert.deepEqual(await expiries({ cert: chain, ca: bundle }), { own: '2031-02-28', authority: '2031-02-28' });
    });
});
