import { PARTS } from './parts.ts';

/** A child process, `node process.ts PART SEED SECONDS`: runs one part and sends the result to its parent over IPC. */

const [name = '', seed = '', seconds = ''] = process.argv.slice(2);
const part = PARTS[name];
if (!part) throw new Error(`There is no part ${name}.`);
const until = performance.now() + Number(seconds) * 1_000;
const explored = await part({ seed: Number(seed), isOver: () => performance.now() >= until });
process.send?.(explored, () => process.exit());
