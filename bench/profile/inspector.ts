/** The result of V8's sampling profiler for one thread (Chrome DevTools Protocol, Profiler.Profile). */
export interface CpuProfile {
    nodes: ProfileNode[];
    /** Ids of nodes, one for each sample. */
    samples: number[];
    /** Time before each sample, in µs. */
    timeDeltas: number[];
}

export interface ProfileNode {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
}

interface Profiler {
    start(): Promise<void>;
    /** Returns the profile of the main thread and of each worker thread. */
    stop(): Promise<{ main: CpuProfile; workers: CpuProfile[] }>;
    close(): void;
}

type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown };
/** Sends a command to one thread. Resolves to its result. */
type Send = (method: string, params?: object) => Promise<unknown>;

interface Channel {
    send: Send;
    receive(message: Message): void;
}

const SAMPLE_US = 500;

/** The threads of a Node process that was started with `--inspect=127.0.0.1:<port>`. */
interface Threads {
    main: Send;
    /** The worker threads that exist at the time of the call. */
    workers(): Send[];
    close(): void;
}

export async function openThreads(port: number): Promise<Threads> {
    const socket = await openSocket(port);
    const main = channel((message) => socket.send(JSON.stringify(message)));
    const workers = new Map<string, Channel>();
    socket.onmessage = ({ data }) => {
        const message = JSON.parse(String(data)) as Message; // as the protocol defines it
        main.receive(message);
        const { sessionId, message: inner } = (message.params ?? {}) as { sessionId: string; message: string };
        if (message.method === 'NodeWorker.attachedToWorker') workers.set(sessionId, workerChannel(main, sessionId));
        if (message.method === 'NodeWorker.receivedMessageFromWorker') {
            workers.get(sessionId)?.receive(JSON.parse(inner));
        }
    };
    await main.send('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return {
        main: main.send,
        workers: () => Array.from(workers.values(), ({ send }) => send),
        close: () => socket.close(),
    };
}

/** Profiles a Node process that was started with `--inspect=127.0.0.1:<port>`, including its worker threads. */
export async function openProfiler(port: number): Promise<Profiler> {
    const { main, workers, close } = await openThreads(port);
    const threads = (): Send[] => [main, ...workers()];
    return {
        async start() {
            await Promise.all(threads().map(startThread));
        },
        async stop() {
            const [first, ...others] = await Promise.all(threads().map(stopThread));
            return { main: first as CpuProfile, workers: others }; // the main thread is the first
        },
        close,
    };
}

async function openSocket(port: number): Promise<WebSocket> {
    const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as Array<{
        webSocketDebuggerUrl: string; // as Node answers
    }>;
    if (!target) throw new Error('The process has no inspector.');
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = reject;
    });
    return socket;
}

async function startThread(send: Send): Promise<void> {
    await send('Profiler.enable');
    await send('Profiler.setSamplingInterval', { interval: SAMPLE_US });
    await send('Profiler.start');
}

async function stopThread(send: Send): Promise<CpuProfile> {
    const { profile } = (await send('Profiler.stop')) as { profile: CpuProfile }; // as the protocol defines it
    return profile;
}

/** Opens a channel to a worker thread, which goes through the main thread. */
function workerChannel(main: Channel, sessionId: string): Channel {
    return channel((message) => {
        void main.send('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify(message) });
    });
}

/** Sends commands to one thread and resolves each with its answer. */
function channel(write: (message: object) => void): Channel {
    const waiting = new Map<number, PromiseWithResolvers<unknown>>();
    let lastId = 0;
    return {
        send(method, params = {}) {
            const id = ++lastId;
            const answer = Promise.withResolvers<unknown>();
            waiting.set(id, answer);
            write({ id, method, params });
            return answer.promise;
        },
        receive({ id, result, error }) {
            if (id === undefined) return;
            if (error === undefined) waiting.get(id)?.resolve(result);
            else waiting.get(id)?.reject(new Error(JSON.stringify(error)));
            waiting.delete(id);
        },
    };
}
