import { bind, client, encoding, type ServiceDefinition, type ServiceOf } from '../../../platform/rpc/definition.ts';
import { dispatcher } from '../../../platform/rpc/dispatch.ts';
import { createMetrics } from '../../../platform/telemetry/metrics.ts';
import { cursors } from '../../../services/cursors.ts';
import { quiet } from '../../support/harness.ts';

/** Wraps a service as services of other processes reach it: every message is encoded and decoded. */
export function reached<D extends ServiceDefinition>(definition: D, service: ServiceOf<D>): ServiceOf<D> {
    const { remote } = dispatcher(bind(definition, service), { log: quiet, metrics: createMetrics() });
    return client(
        definition,
        encoding(({ path }, request, context) => remote(path, request, context)),
    );
}

export const testCursors = cursors(['the service token of these tests']);
