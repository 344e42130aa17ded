import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { type CallContext, Cancellation } from '../../../../platform/context.ts';
import { AppError } from '../../../../platform/errors.ts';
import { NO_SPAN, readTraceparent } from '../../../../platform/telemetry/span.ts';
import { startSpan, startTracing } from '../../../../platform/telemetry/tracing.ts';
import { startCollector } from '../../../support/collector.ts';

const PARENT = '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01';
const context: CallContext = {
    request_id: 'r',
    traceparent: PARENT,
    user_id: undefined,
    tier: undefined,
    session_id: undefined,
    address: undefined,
    trusted: true,
    deadline: 1,
    cancellation: new Cancellation(),
};

const silent = pino({ enabled: false });

/** Starts tracing to a collector. `collected` stops tracing and returns the collector. */
async function traced(t: TestContext, sample = 1) {
    const collector = await startCollector();
    t.after(() => collector.stop());
    const tracing = await startTracing({ endpoint: collector.url, sample, service: 'test', log: silent });
    t.after(() => tracing.stop());
    return {
        async collected() {
            await tracing.stop();
            return collector;
        },
    };
}

describe('without a collector', () => {
    it('no span is made, and contexts stay unchanged', async () => {
        const tracing = await startTracing({ endpoint: undefined, sample: 1, service: 'test', log: silent });
        const span = startSpan('server', 'call', context);
        assert.equal(span, NO_SPAN);
        assert.equal(span.within(context), context);
        await tracing.stop();
    });
});

describe('a span', { timeout: 20_000 }, () => {
    it('passes the call on with its own span id, and as cancelled when the call is cancelled', async (t) => {
        await traced(t);
        const span = startSpan('client', 'call', context);
        assert.notEqual(span.traceparent, PARENT);
        assert.equal(span.traceparent?.slice(0, 36), PARENT.slice(0, 36));
        const call = { ...context, cancellation: new Cancellation() };
        const passedOn = span.within(call);
        assert.deepEqual(passedOn, { ...call, traceparent: span.traceparent });
        call.cancellation.cancel();
        assert.ok(passedOn.cancellation.isCancelled);
    });

    it('is made only if its trace is sampled, and starts a trace only for a server or a consumer', async (t) => {
        await traced(t);
        const dropped = `${PARENT.slice(0, -2)}00`;
        assert.equal(startSpan('server', 'call', { traceparent: dropped }), NO_SPAN);
        assert.equal(startSpan('client', 'call'), NO_SPAN);
        assert.equal(startSpan('internal', 'call', {}), NO_SPAN);
        assert.match(startSpan('server', 'call').traceparent ?? '', /-01$/);
        assert.match(startSpan('consumer', 'job').traceparent ?? '', /-01$/);
    });

    it('of a trace that is not sampled passes that decision to the next hops', async (t) => {
        const { collected } = await traced(t, 0);
        const root = startSpan('server', 'call');
        assert.match(root.traceparent ?? '', /-00$/);
        assert.equal(startSpan('client', 'call', root), NO_SPAN);
        root.finish();
        assert.deepEqual((await collected()).spans(), []);
    });

    it('records only the kind of an error', async (t) => {
        const { collected } = await traced(t);
        startSpan('client', 'call', context).finish(new AppError('invalid', 'marked', { cause: new Error('marked') }));
        startSpan('client', 'call', context).finish(new Error('marked'));
        startSpan('client', 'call', context).finish(Object.assign(new Error('marked'), { name: 'TimeoutError' }));
        const collector = await collected();
        assert.deepEqual(
            collector.spans().map(({ attributes }) => attributes['error.type']),
            ['invalid', 'internal', 'timeout'],
        );
        assert.doesNotMatch(collector.text(), /marked/);
    });

    it('is lost if the collector does not answer, and the failure is logged', async () => {
        const lines: string[] = [];
        const stream = new Writable({
            write(line, _encoding, done) {
                lines.push(String(line));
                done();
            },
        });
        // The discard port: nothing listens there.
        const endpoint = 'http://127.0.0.1:9';
        const tracing = await startTracing({ endpoint, sample: 1, service: 'test', log: pino({}, stream) });
        startSpan('server', 'call').finish();
        await tracing.stop();
        assert.ok(lines.length > 0);
        assert.match(lines.join(''), /ECONNREFUSED/);
    });
});

describe('a traceparent', () => {
    it('is read only in the form of the W3C recommendation', () => {
        assert.equal(readTraceparent(PARENT), PARENT);
        for (const other of [undefined, '', PARENT.toUpperCase(), `${PARENT}-x`, PARENT.slice(1), [PARENT]]) {
            assert.equal(readTraceparent(other), undefined);
        }
    });
});
