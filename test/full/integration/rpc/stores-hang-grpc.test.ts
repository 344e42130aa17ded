import { testHangingStores } from './stores-hang.ts';

await testHangingStores('grpc');
