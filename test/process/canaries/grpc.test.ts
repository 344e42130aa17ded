import { hunt } from '../../canaries/hunt.ts';

await hunt('grpc');
