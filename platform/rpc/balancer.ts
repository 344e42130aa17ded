import type { CallContext } from '../context.ts';
import type { AppError } from '../errors.ts';
import { singleFlight } from '../single-flight.ts';
import { inSpan, startSpan } from '../telemetry/tracing.ts';
import type { MethodInfo } from './definition.ts';
import { TransportError } from './frames/wire.ts';
import type { Replica, ReplicaEvent } from './replica.ts';
import type { ReplicaAddress } from './resolve.ts';
import { unreachable } from './unary.ts';
import { WAITING, WaitingCalls } from './waiting-calls.ts';

/** The first pause before a disconnected replica is tried again, in milliseconds. It doubles each time. */
const RETRY_MS = 250;
/** The longest pause, in milliseconds. It is short because calls may be waiting. */
const MAX_RETRY_MS = 1_000;

interface BalancerOptions {
    /** The name of the service, for errors. */
    service: string;
    resolve(): Promise<ReplicaAddress[]>;
    /**
     * Opens a replica, and calls `on` for each of its events, with the reason if there is one. `on` is never called
     * before this returns.
     */
    openReplica(address: ReplicaAddress, on: (event: ReplicaEvent, reason?: AppError) => void): Replica;
    /**
     * How often the addresses of the replicas are looked up, in milliseconds. They are also looked up as soon as a
     * stream is lost, and more often until all streams are open.
     */
    refreshMs: number;
    /** How long a call waits while no replica is connected, in milliseconds. Default: as long as WaitingCalls says. */
    waitMs?: number | undefined;
}

/** Distributes calls over all replicas of a service. Each call goes to the less busy one of two random replicas. */
export class Balancer {
    readonly #options: BalancerOptions;
    readonly #replicas = new Map<string, Replica>();
    readonly #waiting: WaitingCalls;
    #open: Replica[] = [];
    readonly #lookUp: () => Promise<ReplicaAddress[]>;
    #timer: NodeJS.Timeout | undefined;
    #retryMs = RETRY_MS;
    /** Why a replica could not be reached the last time. */
    #reason: AppError | undefined;
    #reached = false;
    #closed = false;

    constructor(options: BalancerOptions) {
        this.#options = options;
        this.#waiting = new WaitingCalls(options.waitMs);
        this.#lookUp = singleFlight(() => options.resolve(), `service ${options.service}`);
        this.#tend();
    }

    /**
     * Sends the call. If the connection fails, the call is repeated once, on another replica if there is one, provided
     * that it has not run or may run twice.
     */
    async call(method: MethodInfo, request: Uint8Array, context: CallContext): Promise<Uint8Array> {
        const replica = this.#pick() ?? (await this.#opened(request, context));
        try {
            return await replica.call(method, request, context);
        } catch (error) {
            if (!(error instanceof TransportError) || (error.mayHaveRun && !method.safe)) throw error;
            const other = this.#pickBeside(replica) ?? (await this.#opened(request, context));
            return other.call(method, request, context);
        }
    }

    /** The number of known replicas, by whether their streams are open. */
    replicas(): { open: number; not_open: number } {
        return { open: this.#open.length, not_open: this.#replicas.size - this.#open.length };
    }

    /** Throws the reason if no stream to a replica has been open yet. */
    assertReached(): void {
        if (!this.#reached) throw this.#unreachable();
    }

    /** Fails the calls that have waited for too long. */
    sweep(now: number): void {
        this.#waiting.sweep(now, () => this.#unreachable());
    }

    close(): void {
        this.#closed = true;
        clearTimeout(this.#timer);
        this.#keep([]);
        this.#waiting.fail(unreachable(this.#options.service));
    }

    #unreachable(): AppError {
        const unknown = this.#replicas.size === 0 ? new Error('no address of the service is known') : undefined;
        return unreachable(this.#options.service, this.#reason?.cause ?? this.#reason ?? unknown);
    }

    #pick(): Replica | undefined {
        const open = this.#open;
        if (open.length === 0) return;
        const index = randomBelow(open.length);
        const first = open[index] as Replica; // index is below the length
        // A different replica, if there is one.
        const second = open[(index + 1 + randomBelow(open.length - 1)) % open.length] as Replica;
        return second.inFlight.calls < first.inFlight.calls ? second : first;
    }

    #pickBeside(replica: Replica): Replica | undefined {
        const others = this.#open.filter((other) => other !== replica);
        return others[randomBelow(others.length)] ?? this.#pick();
    }

    /** Waits for the next replica whose stream opens. */
    async #opened(request: Uint8Array, context: CallContext): Promise<Replica> {
        if (this.#closed) throw unreachable(this.#options.service);
        const span = startSpan('internal', WAITING, context);
        return inSpan(span, () => this.#waiting.add(request.byteLength, context));
    }

    /** Reopens lost replicas and looks up the addresses, now and periodically. */
    #tend(): void {
        for (const replica of this.#replicas.values()) replica.reopen();
        this.#lookUp()
            // If there is no answer, or an empty one, the known replicas stay: losing the name service must not stop
            // traffic.
            .then((addresses) => addresses.length > 0 && !this.#closed && this.#keep(addresses))
            .catch(() => {});
        if (this.#open.length > 0 && this.#open.length === this.#replicas.size) {
            this.#tendIn(this.#options.refreshMs);
        } else {
            this.#tendIn(this.#retryMs);
            this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
        }
    }

    #tendIn(ms: number): void {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#tend(), ms).unref();
    }

    /** Retires the replicas that are not among `addresses`, and opens the new ones. */
    #keep(addresses: ReplicaAddress[]): void {
        const targets = new Set(addresses.map(({ target }) => target));
        for (const [target, replica] of this.#replicas) {
            if (targets.has(target)) continue;
            this.#replicas.delete(target);
            replica.retire();
        }
        for (const address of addresses) {
            if (this.#replicas.has(address.target)) continue;
            const replica: Replica = this.#options.openReplica(address, (event, reason) =>
                this.#changed(replica, event, reason),
            );
            this.#replicas.set(address.target, replica);
        }
        this.#listOpen();
    }

    #changed(replica: Replica, event: ReplicaEvent, reason: AppError | undefined): void {
        this.#listOpen();
        if (this.#closed) return;
        if (event === 'unreachable') {
            this.#reason = reason;
            return;
        }
        this.#reason = undefined;
        this.#retryMs = RETRY_MS;
        if (event === 'opened') {
            this.#reached = true;
            this.#waiting.release(replica);
        } else this.#tendIn(0);
    }

    #listOpen(): void {
        this.#open = [...this.#replicas.values()].filter(({ state }) => state === 'open');
    }
}

function randomBelow(bound: number): number {
    return Math.floor(Math.random() * bound);
}
