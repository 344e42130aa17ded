import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets of durations, in seconds: from 0.5 ms to 10 s. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Gauges of prom-client that are named like counters (`_total`), and are removed. They are sums of other metrics, which
 * stay.
 */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

interface Description<Label extends string> {
    name: string;
    help: string;
    labels: readonly Label[];
}

/** The current value of a metric. */
export interface Sample<Label extends string> {
    labels: Record<Label, string>;
    value: number;
}

/** The metrics of one process. Labels have few values: routes, methods, outcomes; never an id. */
export interface Metrics {
    counter<Label extends string>(description: Description<Label>): Counter<Label>;
    histogram<Label extends string>(description: Description<Label>): Histogram<Label>;
    /** Exports a value that is read when the metrics are rendered. */
    gauge(name: string, help: string, read: () => number): void;
    /**
     * Exports values that other code keeps anyway. They are read when the metrics are rendered, so counting them costs
     * nothing more. What `read` does not return is absent. It must not wait for long if something is unreachable.
     */
    collect<Label extends string>(
        description: Description<Label> & { type: 'counter' | 'gauge' },
        read: () => Iterable<Sample<Label>> | Promise<Iterable<Sample<Label>>>,
    ): void;
    /** Returns the exposition text, and its content type. */
    expose(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(): Metrics {
    const registry = new Registry();
    const registers = [registry];
    addProcessMetrics(registry);
    return {
        counter: ({ name, help, labels }) => new Counter({ name, help, labelNames: labels, registers }),
        histogram: ({ name, help, labels }) =>
            new Histogram({ name, help, labelNames: labels, registers, buckets: BUCKETS }),
        gauge(name, help, read) {
            new Gauge({
                name,
                help,
                registers,
                collect() {
                    this.set(read());
                },
            });
        },
        collect({ type, name, help, labels: labelNames }, read) {
            async function collect(this: Pick<Counter, 'reset' | 'remove' | 'inc'>): Promise<void> {
                const samples = await read();
                this.reset();
                if (labelNames.length === 0) this.remove(); // the reset has set it to 0
                for (const { labels, value } of samples) this.inc(labels, value);
            }
            const configuration = { name, help, labelNames, registers, collect };
            if (type === 'gauge') new Gauge(configuration);
            else new Counter(configuration);
        },
        async expose() {
            return { contentType: registry.contentType, text: await registry.metrics() };
        },
    };
}

/** Buckets of the event loop's delay, in seconds. */
const DELAY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** How often the delay is measured, in milliseconds. */
const DELAY_SAMPLE_MS = 20;

/** Adds prom-client's metrics of a process, and those of its event loop. */
function addProcessMetrics(registry: Registry): void {
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
    measureDelay(registry);
    new Counter({
        name: 'event_loop_active_seconds_total',
        help: 'Time that the event loop was busy.',
        registers: [registry],
        collect() {
            this.reset();
            this.inc(performance.eventLoopUtilization().active / 1_000);
        },
    });
}

/** Measures how late a timer fires: everything else that waits for the event loop is as late. */
function measureDelay(registry: Registry): void {
    const delay = new Histogram({
        name: 'event_loop_delay_seconds',
        help: `Delay of a timer that is due every ${DELAY_SAMPLE_MS} ms.`,
        registers: [registry],
        buckets: DELAY_BUCKETS,
    });
    let due = performance.now() + DELAY_SAMPLE_MS;
    setInterval(() => {
        const now = performance.now();
        delay.observe(Math.max(0, now - due) / 1_000);
        due = now + DELAY_SAMPLE_MS;
    }, DELAY_SAMPLE_MS).unref();
}

/** Seconds since a `performance.now()` reading. */
export function secondsSince(began: number): number {
    return (performance.now() - began) / 1_000;
}
