import { AppError } from '../../../platform/errors.ts';

/** Checks the result of a parser for one input. Throws if the result is wrong. */
type Judgement = () => void | Promise<void>;

/** A parser under test. */
export interface Target {
    /** Also the name of the folder with its regression inputs. */
    name: string;
    /** Inputs that other inputs are made from. */
    seeds: ReadonlyArray<string | Uint8Array>;
    /** Pieces of text that the parser treats specially. */
    dictionary: readonly string[];
    /** Longest input that reaches the parser in the service, in bytes. */
    maxBytes: number;
    /** Whether the parser is slow by design, as a password hash is. Its CPU time is then not checked. */
    isCostly: boolean;
    /** Parses one input. Anything that it throws is a finding; documented refusals are results. */
    run(input: Buffer): Judgement;
}

/** Makes a target from a parser and a check of its result. */
export function target<Result>(options: {
    name: string;
    seeds: Target['seeds'];
    dictionary?: readonly string[];
    maxBytes?: number;
    isCostly?: boolean;
    parse(input: Buffer): Result;
    check(input: Buffer, result: Result): void | Promise<void>;
}): Target {
    const { parse, check, dictionary = [], maxBytes = 16 << 10, isCostly = false, ...rest } = options;
    return {
        ...rest,
        dictionary,
        maxBytes,
        isCostly,
        run(input) {
            const result = parse(input);
            return () => check(input, result);
        },
    };
}

/** The result of a parser, or the detail of the AppError with which it refused the input. */
type Attempt<T> = { value: T; refused?: undefined } | { value?: undefined; refused: string };

/** Runs a parser. Returns a refusal of this kind as a result, and throws any other error. */
export function attempt<T>(parse: () => T, kind: AppError['kind'] = 'invalid'): Attempt<T> {
    try {
        return { value: parse() };
    } catch (error) {
        if (error instanceof AppError && error.kind === kind) return { refused: error.detail };
        throw error;
    }
}
