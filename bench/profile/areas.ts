import type { CpuProfile, ProfileNode } from './inspector.ts';

/** The part of request processing that a file belongs to. The first match counts. */
const AREAS: ReadonlyArray<readonly [RegExp, string]> = [
    [/\/node_modules\/(express|router|path-to-regexp|parseurl|body-parser|finalhandler|send|qs)\//, 'Express: routing'],
    [
        /^node:(_http|internal\/http|_stream|net|internal\/(stream|net|js_stream))|^node:stream/,
        'Node: HTTP and sockets',
    ],
    [/\/node_modules\/zod\//, 'zod: checking the body'],
    [
        /\/platform\/json(-scan)?\.ts$|\/gateway\/(input|fields|http\/(body.*|incoming-body|parse-turns|query)|endpoints\/.*)\.ts$/,
        'reading the body (strict JSON, fields)',
    ],
    [/\/gateway\/admission\/|\/platform\/access\//, 'authentication and limit'],
    [/\/node_modules\/(ioredis|redis-parser|@ioredis|denque|cluster-key-slot)\//, 'ioredis'],
    [/\/gateway\/(answer|http\/envelope)\.ts$/, 'writing the answer'],
    [/\/node_modules\/(pino|sonic-boom|quick-format-unescaped|safe-stable-stringify)\//, 'pino: the log line'],
    [/\/node_modules\/prom-client\/|\/platform\/telemetry\/metrics\.ts$/, 'prom-client: metrics'],
    [/\/gateway\//, 'gateway: everything else'],
    [/\/proto\/gen\/|\/node_modules\/@bufbuild\//, 'protobuf'],
    [/\/platform\/(rpc|context)|\/node_modules\/@grpc\//, 'RPC'],
    [
        /\/node_modules\/(piscina|@napi)|^node:(internal\/)?worker|^node:internal\/per_context\/messageport/,
        'Piscina and messages between threads',
    ],
    [
        /\/(workers\/crypto|tokens)\/|\/node_modules\/(sodium-native|bs58|base-x|require-addon)\//,
        'cryptography: tokens, keys, base58',
    ],
    [/\/node_modules\/(slonik|@slonik|roarr|pg|pg-.*)\//, 'slonik and pg'],
    [/\/services\//, 'services: rules and stores'],
    [/\/platform\/batch\.ts$/, 'coalescer'],
    [/^node:/, 'Node: everything else'],
];

const OUTSIDE = new Map([
    ['(garbage collector)', 'garbage collection'],
    ['(program)', 'native code outside of JavaScript'],
]);
/** Functions of a waiting thread. In the last one, a thread of Piscina waits for its next task. */
const IDLE = new Set(['(idle)', '(root)', 'atomicsWaitLoop']);

/** Returns the self time of each area in µs. Native functions count for the file that calls them. */
export function selfTimes(
    { nodes, samples, timeDeltas }: CpuProfile,
    keyOf: (frame: Frame) => string,
): Map<string, number> {
    const owners = ownersOf(nodes);
    const times = new Map<string, number>();
    samples.forEach((id, index) => {
        const owner = owners.get(id);
        if (!owner || IDLE.has(owner.functionName)) return;
        const key = keyOf(owner);
        times.set(key, (times.get(key) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
    });
    return times;
}

export type Frame = ProfileNode['callFrame'];

export function areaOf({ url, functionName }: Frame): string {
    return OUTSIDE.get(functionName) ?? AREAS.find(([files]) => files.test(url))?.[1] ?? 'everything else';
}

/** `file:line function`, for the table of the hottest functions. */
export function functionOf({ url, functionName, lineNumber }: Frame): string {
    if (url === '') return functionName;
    const file = url
        .replace(/^.*\/node_modules\//, '')
        .replace(/^file:\/\/.*?\/(?=(gateway|platform|services|tokens|workers|proto)\/)/, '');
    return `${file}:${lineNumber + 1} ${functionName || '(anonymous)'}`;
}

/** Returns the frame that each node's time counts for: its own or, for native code, its nearest caller with a file. */
function ownersOf(nodes: readonly ProfileNode[]): Map<number, Frame> {
    const owners = new Map<number, Frame>();
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const visit = (node: ProfileNode, caller: Frame | undefined): void => {
        const { callFrame } = node;
        const owner = callFrame.url !== '' || !caller || OUTSIDE.has(callFrame.functionName) ? callFrame : caller;
        owners.set(node.id, owner);
        for (const id of node.children ?? []) {
            const child = byId.get(id);
            if (child) visit(child, callFrame.url === '' && callFrame.functionName.startsWith('(') ? undefined : owner);
        }
    };
    const [root] = nodes;
    if (root) visit(root, undefined);
    return owners;
}
