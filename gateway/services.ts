import type { ServiceOf } from '../platform/rpc/definition.ts';
import type { SERVICE_DEFINITIONS, ServiceRole } from '../proto/services.ts';

/** The services that the gateway calls, in this process or over gRPC. */
export type Services = { [Role in ServiceRole]: ServiceOf<(typeof SERVICE_DEFINITIONS)[Role]> };
