import { AppError } from '../../../platform/errors.ts';

/** Compares what a parser made of an input with what must hold for it; throws where that is not so. */
export type Judgement = () => void | Promise<void>;

/** A parser under test. */
export interface Target {
    /** Names the folder of its regression inputs, too. */
    name: string;
    /** Inputs from which others are made. */
    seeds: ReadonlyArray<string | Uint8Array>;
    /** Pieces that mean something to it. */
    dictionary: readonly string[];
    /** The longest input that reaches it in the service, in bytes. */
    max_bytes: number;
    /** Whether the parser itself is slow by design, as a password hash is: its CPU time is not looked at then. */
    is_costly: boolean;
    /** Parses one input. Whatever it throws is a finding: refusals that are documented are results. */
    run(input: Buffer): Judgement;
}

/** Describes a target by the parser and by what its result is compared with. */
export function target<Result>(options: {
    name: string;
    seeds: Target['seeds'];
    dictionary?: readonly string[];
    max_bytes?: number;
    is_costly?: boolean;
    parse(input: Buffer): Result;
    check(input: Buffer, result: Result): void | Promise<void>;
}): Target {
    const { parse, check, dictionary = [], max_bytes = 16 << 10, is_costly = false, ...rest } = options;
    return {
        ...rest,
        dictionary,
        max_bytes,
        is_costly,
        run(input) {
            const result = parse(input);
            return () => check(input, result);
        },
    };
}

/** What a parser gives, or that it refuses with an AppError of this kind. */
export type Attempt<T> = { value: T; refused?: undefined } | { value?: undefined; refused: string };

export function attempt<T>(parse: () => T, kind: AppError['kind'] = 'invalid'): Attempt<T> {
    try {
        return { value: parse() };
    } catch (error) {
        if (error instanceof AppError && error.kind === kind) return { refused: error.detail };
        throw error;
    }
}
