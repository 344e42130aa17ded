import type { ServerUnaryCall, sendUnaryData, UntypedServiceImplementation } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { singleFlight } from '../single-flight.ts';
import type { ServiceRegistry } from './reflection.ts';

/** How often readiness is checked for clients of Watch, in milliseconds. */
const WATCH_MS = 1_000;

type Check = (call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>) => void;

/**
 * Adds grpc.health.v1 for `services` (full names) and for the process itself, under the empty name. All of them have
 * the readiness of the process. Each call of Check evaluates `ready`.
 */
export function addHealth(
    server: ServiceRegistry,
    { services, ready }: { services: string[]; ready(): Promise<boolean> },
): { stop(): void } {
    const names = ['', ...services];
    const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'NOT_SERVING'])));
    let told = false;
    let stopped = false;
    const ask = singleFlight(ready, 'readiness');

    function tell(isReady: boolean): void {
        const serving = isReady && !stopped;
        if (serving === told) return;
        told = serving;
        for (const name of names) health.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
    }
    const refresh = (): Promise<void> => ask().then(tell, () => tell(false));

    health.addToServer({
        addService(definition, handlers: UntypedServiceImplementation) {
            const check = handlers['check'] as Check; // the health service has this method, and it is unary
            const checkNow: Check = (call, callback) => void refresh().then(() => check(call, callback));
            server.addService(definition, { ...handlers, check: checkNow });
        },
    });
    const watching = setInterval(refresh, WATCH_MS).unref();
    return {
        stop() {
            clearInterval(watching);
            stopped = true;
            tell(false);
        },
    };
}
