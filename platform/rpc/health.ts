import { createRequire } from 'node:module';
import type { ServerUnaryCall, sendUnaryData, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { HealthImplementation } from 'grpc-health-check';
import { singleFlight } from '../single-flight.ts';
import { addOnDemand, type ServiceRegistry } from './on-demand.ts';

/** How often readiness is checked for clients of Watch, in milliseconds. */
const WATCH_MS = 1_000;

const METHODS = {
    '/grpc.health.v1.Health/Check': { requestStream: false, responseStream: false },
    '/grpc.health.v1.Health/List': { requestStream: false, responseStream: false },
    '/grpc.health.v1.Health/Watch': { requestStream: false, responseStream: true },
};
const require = createRequire(import.meta.url);

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
    let health: HealthImplementation | undefined;
    let told = false;
    let stopped = false;
    const ask = singleFlight(ready, 'readiness');

    function tell(isReady: boolean): void {
        const serving = isReady && !stopped;
        if (serving === told) return;
        told = serving;
        for (const name of names) health?.setStatus(name, statusOf(serving));
    }
    const refresh = (): Promise<void> => ask().then(tell, () => tell(false));

    addOnDemand(server, METHODS, () => {
        const library = require('grpc-health-check') as typeof import('grpc-health-check');
        const loaded = new library.HealthImplementation(
            Object.fromEntries(names.map((name) => [name, statusOf(told)])),
        );
        health = loaded;
        return {
            addToServer: (registry) =>
                loaded.addToServer({
                    addService(definition, handlers: UntypedServiceImplementation) {
                        const check = handlers['check'] as Check; // the service has this method, and it is unary
                        const checkNow: Check = (call, callback) => void refresh().then(() => check(call, callback));
                        registry.addService(definition, { ...handlers, check: checkNow });
                    },
                }),
        };
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

function statusOf(serving: boolean): 'SERVING' | 'NOT_SERVING' {
    return serving ? 'SERVING' : 'NOT_SERVING';
}
