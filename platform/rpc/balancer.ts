import type { CallContext } from '../context.ts';
import type { MethodInfo } from './definition.ts';
import type { Peer, PeerEvent } from './peer.ts';
import type { Endpoint } from './resolve.ts';
import { unreachable } from './unary.ts';
import { NoReply } from './wire.ts';

/** An endpoint that could not be reached is tried again after so long, and then after twice as long each time, in milliseconds. */
const RETRY_MS = 250;
/** How long a call waits for the name service where no endpoint is known yet, in milliseconds. */
const RESOLVE_PATIENCE_MS = 2_000;

export interface BalancerOptions {
    resolve(): Promise<Endpoint[]>;
    openPeer(endpoint: Endpoint, on: (event: PeerEvent) => void): Peer;
    /** How often the endpoints are looked up anew, in milliseconds; and at once when a stream is lost. */
    refresh_ms: number;
}

/** Spreads calls over all endpoints of a service: each goes to the less busy of two that are picked at random. */
export class Balancer {
    readonly #options: BalancerOptions;
    readonly #peers = new Map<string, Peer>();
    #open: Peer[] = [];
    #refreshing: Promise<void> | undefined;
    #timer: NodeJS.Timeout | undefined;
    #retry_ms = RETRY_MS;
    #closed = false;

    constructor(options: BalancerOptions) {
        this.#options = options;
        void this.#refresh();
    }

    /** Sends the call; and once more, to another endpoint if there is one, where it has not run or may run twice. */
    async call(method: MethodInfo, request: Uint8Array, context: CallContext): Promise<Uint8Array> {
        const peer = this.#pick() ?? (await this.#firstPeer());
        try {
            return await peer.call(method, request, context);
        } catch (error) {
            if (!(error instanceof NoReply) || (error.may_have_run && !method.safe)) throw error;
            const other = this.#pickBeside(peer);
            if (!other) throw error;
            return other.call(method, request, context);
        }
    }

    close(): void {
        this.#closed = true;
        clearTimeout(this.#timer);
        this.#keep([]);
    }

    #pick(): Peer | undefined {
        const open = this.#open;
        if (open.length === 0) return this.#pickUnopened([...this.#peers.values()]);
        const index = randomBelow(open.length);
        const first = open[index] as Peer; // below the length
        const second = open[(index + 1 + randomBelow(open.length - 1)) % open.length] as Peer; // another, if there is one
        return second.in_flight.calls < first.in_flight.calls ? second : first;
    }

    #pickBeside(peer: Peer): Peer | undefined {
        const others = this.#open.filter((other) => other !== peer);
        if (others.length > 0) return anyOf(others);
        const rest = [...this.#peers.values()].filter((other) => other !== peer);
        return this.#pickUnopened(rest) ?? this.#pick();
    }

    /** One that is about to open: the call waits there until it has. */
    #pickUnopened(peers: Peer[]): Peer | undefined {
        if (peers.every(({ state }) => state !== 'opening')) for (const peer of peers) peer.reopen();
        const opening = peers.filter(({ state }) => state === 'opening');
        return opening.length > 0 ? anyOf(opening) : undefined;
    }

    async #firstPeer(): Promise<Peer> {
        const patience = Promise.withResolvers<void>();
        const timer = setTimeout(patience.resolve, RESOLVE_PATIENCE_MS);
        await Promise.race([this.#refresh(), patience.promise]);
        clearTimeout(timer);
        const peer = this.#pick();
        if (!peer) throw unreachable();
        return peer;
    }

    #refresh(): Promise<void> {
        this.#refreshing ??= this.#options
            .resolve()
            // Without an answer, or with an empty one, what is known stays: losing the name service must lose nothing else.
            .then((endpoints) => endpoints.length > 0 && this.#keep(endpoints))
            .catch(() => {})
            .then(() => {
                this.#refreshing = undefined;
                if (this.#closed) return;
                for (const peer of this.#peers.values()) peer.reopen();
                this.#refreshIn(this.#options.refresh_ms);
            });
        return this.#refreshing;
    }

    #refreshIn(ms: number): void {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#refresh(), ms).unref();
    }

    /** Retires the peers that are not among `endpoints`, and opens those that are new. */
    #keep(endpoints: Endpoint[]): void {
        const targets = new Set(endpoints.map(({ target }) => target));
        for (const [target, peer] of this.#peers) {
            if (targets.has(target)) continue;
            this.#peers.delete(target);
            peer.retire();
        }
        if (!this.#closed) {
            for (const endpoint of endpoints) {
                if (this.#peers.has(endpoint.target)) continue;
                this.#peers.set(
                    endpoint.target,
                    this.#options.openPeer(endpoint, (event) => this.#changed(event)),
                );
            }
        }
        this.#listOpen();
    }

    #changed(event: PeerEvent): void {
        this.#listOpen();
        if (this.#closed) return;
        if (event === 'unreachable') {
            this.#refreshIn(this.#retry_ms);
            this.#retry_ms = Math.min(2 * this.#retry_ms, this.#options.refresh_ms);
            return;
        }
        this.#retry_ms = RETRY_MS;
        if (event === 'lost') this.#refreshIn(0);
    }

    #listOpen(): void {
        this.#open = [...this.#peers.values()].filter(({ state }) => state === 'open');
    }
}

/** Of a list that is not empty. */
function anyOf<T>(list: readonly T[]): T {
    return list[randomBelow(list.length)] as T; // below the length
}

function randomBelow(bound: number): number {
    return Math.floor(Math.random() * bound);
}
