import type { Answer } from './answer.ts';
import { Call } from './call.ts';
import { type Api, OPERATIONS } from './gen/operations.ts';
import type { CallOptions, Operation } from './operation.ts';
import type { Input } from './request.ts';

export type Invoke = (operation: Operation, input: Input, options?: CallOptions) => Promise<Answer>;
/** Makes a call whose answer is lines of JSON, and yields what they say as they come. */
export type Stream = (operation: Operation, input: Input, options?: CallOptions) => AsyncGenerator<unknown, void>;

/** Rows per page if the caller sets no `limit`: the maximum of the service. */
const PAGE_ROWS = 1_000;

interface Methods {
    [name: string]: Methods | ((...args: never[]) => unknown);
}

/** The name and the groups of each operation's method: `credentials.by_issuer` is `byIssuer` in `credentials`. */
const PLACES = Object.entries<Operation>(OPERATIONS).map(([id, operation]) => {
    const groups = id.split('.').map((name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
    const name = groups.pop() as string; // no id is empty
    return { groups, name, operation };
});

/** Creates a method for every operation. */
export function methodsOf(invoke: Invoke, stream: Stream): Api {
    const methods: Methods = {};
    for (const { groups, name, operation } of PLACES) {
        let place = methods;
        for (const group of groups) {
            place[group] ??= {};
            place = place[group] as Methods; // no operation has the name of a group
        }
        place[name] = methodOf(operation, invoke, stream);
    }
    return methods as unknown as Api; // the generator derives the names in Api in the same way
}

function methodOf(operation: Operation, invoke: Invoke, stream: Stream) {
    const { path, query, body, list, streams } = operation;
    if (!path.includes('{') && query.length === 0 && !body) {
        if (streams) return (options?: CallOptions) => stream(operation, {}, options);
        return (options?: CallOptions) => new Call(invoke(operation, {}, options));
    }
    if (streams) return (input: Input = {}, options?: CallOptions) => stream(operation, input, options);
    const method = (input: Input = {}, options?: CallOptions) => new Call(invoke(operation, input, options));
    if (list === undefined) return method;
    const pagesOf = (input: Input = {}, options?: CallOptions) =>
        pages((cursor) => invoke(operation, { ...input, limit: input['limit'] ?? PAGE_ROWS, ...cursor }, options));
    return Object.assign(method, {
        pages: pagesOf,
        async *items(input?: Input, options?: CallOptions) {
            for await (const page of pagesOf(input, options)) yield* page[list] ?? [];
        },
    });
}

/** The data of a list. */
type Page = Readonly<Record<string, Iterable<unknown>>>;

async function* pages(read: (cursor: { cursor?: string }) => Promise<Answer>): AsyncGenerator<Page, void> {
    let answer = await read({});
    for (;;) {
        yield answer.data as Page; // the generator has read it from the description of the operation
        if (answer.next_cursor === undefined) return;
        answer = await read({ cursor: answer.next_cursor });
    }
}
