import type { Answer, ResponseInfo } from './answer.ts';

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
