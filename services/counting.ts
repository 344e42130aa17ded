import type { Counter } from 'prom-client';
import type { CallContext } from '../platform/context.ts';
import { asAppError, type ErrorKind } from '../platform/errors.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';

/** The methods of a service that record business metrics. */
export type CountedCalls<S> = {
    [M in keyof S]?: S[M] extends (...args: never[]) => Promise<infer Answer> ? Counted<Answer> : never;
};

/**
 * The metric of one method. Each answer counts as one of `outcomes`, that of a batch as one for each item. Each error
 * listed in `refusals` counts as an outcome too. `replayed` items of a batch were counted before. Methods with the same
 * `name` share a metric.
 */
interface Counted<Answer> {
    name: string;
    help: string;
    /** The outcome for each error kind. All other errors are counted by the metrics of every call, not here. */
    refusals?: Partial<Record<ErrorKind, string>>;
    answers?: { outcomes: readonly string[]; of(answer: Answer, replayed: number): string | readonly string[] };
}

const DONE = { outcomes: ['ok'], of: () => 'ok' };

/** Wraps the service so that its methods also record their business metrics. */
export function counting<S extends object>(metrics: Metrics, service: S, calls: CountedCalls<S>): S {
    const counters = new Map<string, Counter<'outcome'>>();
    const counted = Object.entries(calls).map(([name, description]) => {
        // Object.entries loses the types. CountedCalls has checked that each method has the metric of its own answer.
        const { answers = DONE, refusals = {}, ...rest } = description as Counted<unknown>;
        const counter = counters.get(rest.name) ?? metrics.counter({ ...rest, labels: ['outcome'] });
        counters.set(rest.name, counter);
        for (const outcome of [...answers.outcomes, ...Object.values(refusals)]) counter.inc({ outcome }, 0);
        const call = service[name as keyof S] as (...args: unknown[]) => Promise<unknown>; // a method, by CountedCalls
        const count = async (...args: unknown[]): Promise<unknown> => {
            try {
                const answer = await call(...args);
                const [, context] = args as [unknown, CallContext | undefined]; // ServiceOf
                const replay = context?.replay;
                if (replay?.isReplay) return answer; // it was counted before
                for (const outcome of [answers.of(answer, replay?.items ?? 0)].flat()) counter.inc({ outcome });
                return answer;
            } catch (error) {
                const outcome = refusals[asAppError(error).kind];
                if (outcome !== undefined) counter.inc({ outcome });
                throw error;
            }
        };
        return [name, count] as const;
    });
    return { ...service, ...Object.fromEntries(counted) };
}
