import type { Answer, ResponseInfo } from './answer.ts';
import type { CallOptions } from './operation.ts';

/** A call of an operation: a promise of its data, from which the rest of its answer can be had, too. */
export class Call<Data> implements Promise<Data> {
    readonly [Symbol.toStringTag] = 'Call';
    // biome-ignore lint/suspicious/noThenProperty: a call can be awaited
    readonly then: Promise<Data>['then'] = (...handlers) => this.#data().then(...handlers);
    readonly catch: Promise<Data>['catch'] = (handler) => this.#data().catch(handler);
    readonly finally: Promise<Data>['finally'] = (handler) => this.#data().finally(handler);
    readonly #answer: Promise<Answer>;

    constructor(answer: Promise<Answer>) {
        this.#answer = answer;
    }

    /** The data together with what the answer to this call says besides: its request id, the rate limit and so on. */
    async withResponse(): Promise<{ data: Data; response: ResponseInfo }> {
        const { response } = await this.#answer;
        return { data: await this.#data(), response };
    }

    async #data(): Promise<Data> {
        return (await this.#answer).data as Data; // the generated types say what each operation answers
    }
}

/** A method that reads a list: completely, page by page, or item by item. */
export interface ListMethod<Input extends unknown[], Data, Item> {
    (...args: [...input: Input, options?: CallOptions]): Call<Data>;
    /**
     * Reads the list page by page, from `cursor` or the beginning, with `limit` rows per page (default 1,000). The
     * options apply to each page.
     */
    pages(...args: [...input: Input, options?: CallOptions]): AsyncGenerator<Data, void>;
    /** Reads the list item by item. It requests the next page when it needs its first item. */
    items(...args: [...input: Input, options?: CallOptions]): AsyncGenerator<Item, void>;
}
