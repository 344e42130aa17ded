import type { Invariant } from './check/violation.ts';
import type { Kind } from './load/journal.ts';
import type { Load } from './load/load.ts';
import type { FaultEnvironment, Form, Stack, StackOptions } from './stack/stack.ts';

/** One fault, with the steps that cause it and end it. */
export interface Scenario {
    /** F1 to F24. Several scenarios may share an id. */
    id: string;
    fault: string;
    form: Form;
    /** Number of clients that write, 10 by default. */
    clients?: number;
    /** Whether each client connects to a ready gateway, as through a load balancer, and stays there. */
    isBalanced?: boolean;
    /** Whether processes that answer clients are killed, so that clients lose connections. */
    mayLose?: boolean;
    /** Whether processes of the service may end by themselves. */
    mayEnd?: boolean;
    /** Whether it leaves the machine idle for most of its time. Two such scenarios run at the same time. */
    isMostlyIdle?: boolean;
    /** Returns why the scenario cannot run on this machine, or undefined if it can. */
    obstacle?(): string | undefined;
    stack?: Omit<StackOptions, 'form'>;
    /** Prepares what the stack needs before it starts. */
    prepare?(dir: string, environment: FaultEnvironment): Promise<Omit<StackOptions, 'form'>>;
    /** Starts the service. By default, it runs the migrations and then starts all processes. */
    launch?(trial: LaunchTrial): Promise<void>;
    /** Causes the fault and ends it, while the clients write. Resolves when the fault is over. */
    run(trial: Trial): Promise<void>;
}

/** The part of a trial that exists before clients write. */
export type LaunchTrial = Pick<Trial, 'stack' | 'scaled' | 'target' | 'broken' | 'note'>;

/** One run of a scenario. */
export interface Trial {
    stack: Stack;
    load: Load;
    /** Acknowledged writes per second before the fault. */
    baseline: number;
    /** Scales a time or a number by the option `--seconds`. */
    scaled(amount: number): number;
    /** Waits for the first write that is acknowledged after `since` (`performance.now()`), of any kind or of `kind`. */
    recovered(what: string, since: number, targetMs?: number, kind?: Kind): Promise<void>;
    /** Like `recovered`, but waits for the rate of writes before the fault. */
    recoveredFully(what: string, since: number, targetMs: number): Promise<void>;
    /** Checks a target that depends on the machine's speed. A missed target is reported, but breaks no invariant. */
    target(what: string, isMet: boolean): void;
    /** Reports an invariant that the scenario itself found broken. */
    broken(invariant: Invariant, text: string): void;
    /** Adds a measurement to the report. */
    note(text: string): void;
}

/** Result of one scenario. */
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
    /** Longest time from the end of a fault to the first acknowledged write, or to the full rate, in milliseconds. */
    recoveryMs?: number;
    seconds: number;
}
