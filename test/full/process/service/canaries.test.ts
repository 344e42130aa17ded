import { hunt } from '../../../../proof/canaries/hunt.ts';

await hunt('local');
