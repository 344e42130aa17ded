import { asAppError, type ErrorKind } from '../platform/errors.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';

/** The calls of a service that are counted. */
export type CountedCalls<S> = {
    [M in keyof S]?: S[M] extends (...args: never[]) => Promise<infer Answer> ? Counted<Answer> : never;
};

/**
 * What is counted for one method: its answers, each as one of `outcomes`, and the refusals that count as outcomes too.
 */
interface Counted<Answer> {
    name: string;
    help: string;
    /** By error kind. Other errors are counted with those of every method, not here. */
    refusals?: Partial<Record<ErrorKind, string>>;
    answers?: { outcomes: readonly string[]; of(answer: Answer): string };
}

const DONE = { outcomes: ['ok'], of: () => 'ok' };

/** Wraps the service so that it also counts its business metrics, besides the metrics of every call. */
export function counting<S extends object>(metrics: Metrics, service: S, calls: CountedCalls<S>): S {
    const counted = Object.entries(calls).map(([name, description]) => {
        // Object.entries loses which method has which answer; CountedCalls has paired them.
        const { answers = DONE, refusals = {}, ...rest } = description as Counted<unknown>;
        const counter = metrics.counter({ ...rest, labels: ['outcome'] });
        for (const outcome of [...answers.outcomes, ...Object.values(refusals)]) counter.inc({ outcome }, 0);
        const call = service[name as keyof S] as (...args: unknown[]) => Promise<unknown>; // a method, by CountedCalls
        const count = async (...args: unknown[]): Promise<unknown> => {
            try {
                const answer = await call(...args);
                counter.inc({ outcome: answers.of(answer) });
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
