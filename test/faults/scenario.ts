import type { Invariant } from './check/violation.ts';
import type { Kind } from './load/journal.ts';
import type { Load } from './load/load.ts';
import type { FaultEnvironment, Form, Stack, StackOptions } from './stack/stack.ts';

/** One fault, and what is done to bring it about and to end it. */
export interface Scenario {
    /** F1 to F24; several scenarios may be parts of one. */
    id: string;
    fault: string;
    form: Form;
    /** How many clients write; 10 by default. */
    clients?: number;
    /** Whether clients go to gateways that are ready, as through a balancer, and stay where they are. */
    isBalanced?: boolean;
    /** Whether processes that answer clients are killed, so that clients lose connections. */
    mayLose?: boolean;
    /** Whether processes of the service are meant to end by themselves. */
    mayEnd?: boolean;
    /** Why it cannot run on this machine; undefined where it can. */
    obstacle?(): string | undefined;
    stack?: Omit<StackOptions, 'form'>;
    /** Prepares what the stack needs before it starts. */
    prepare?(dir: string, environment: FaultEnvironment): Promise<Omit<StackOptions, 'form'>>;
    /** Brings the service up; by default: the schemas, then all processes. */
    launch?(trial: LaunchTrial): Promise<void>;
    /** Brings the fault about and ends it, while the clients write. Resolves when the fault is over. */
    run(trial: Trial): Promise<void>;
}

/** What there is of a trial before anybody writes. */
export type LaunchTrial = Pick<Trial, 'stack' | 'scaled' | 'target' | 'broken' | 'note'>;

/** One run of a scenario. */
export interface Trial {
    stack: Stack;
    load: Load;
    /** Acknowledged writes per second before the fault. */
    baseline: number;
    /** A time or a number, made shorter or longer as the run's option `--seconds` says. */
    scaled(amount: number): number;
    /** Waits for the first write that is acknowledged after `since` (`performance.now()`), of any kind or this one. */
    recovered(what: string, since: number, targetMs?: number, kind?: Kind): Promise<void>;
    /** As `recovered`, for the rate of writes that there was before. */
    recoveredFully(what: string, since: number, targetMs: number): Promise<void>;
    /** A target that depends on the machine's speed: one that is missed is told, and breaks no invariant. */
    target(what: string, isMet: boolean): void;
    /** What the scenario found broken by itself. */
    broken(invariant: Invariant, text: string): void;
    /** Something measured that is worth a line. */
    note(text: string): void;
}

/** How one scenario ended. */
export interface Result {
    id: string;
    fault: string;
    /** Why it did not run. */
    skipped?: string;
    acknowledged: number;
    lost: number;
    broken: ReadonlyArray<{ invariant: Invariant; text: string }>;
    /** Targets that were missed. */
    missed: readonly string[];
    notes: readonly string[];
    /** The longest time from the end of a fault to the first acknowledged write, or to the full rate, in milliseconds. */
    recoveryMs?: number;
    seconds: number;
}
