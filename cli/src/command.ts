import type { Client, ClientOptions } from '../../client/src/client.ts';
import type { Report } from './report.ts';
import type { World } from './world.ts';

/** An option of a command. Without `value` it is a switch. */
export interface Option {
    /** Stands for the value in the help: `DID`. */
    value?: string;
    summary: string;
    required?: true;
    /** The option may be given several times. */
    repeatable?: true;
    /** The only values that are allowed. */
    choices?: readonly string[];
    /** The value is the path of a file. */
    file?: true;
}

export interface Positional {
    summary: string;
    optional?: true;
    choices?: readonly string[];
}

export interface Example {
    line: string;
    /** What the line does, if that is not plain. */
    note?: string;
}

type Options = Readonly<Record<string, Option>>;
type Positionals = Readonly<Record<string, Positional>>;

type OptionValue<O extends Option> = O extends { value: string }
    ? O extends { repeatable: true }
        ? string[]
        : O extends { required: true }
          ? string
          : string | undefined
    : boolean;

/** What a command gets to do its work. */
export interface Invocation<O extends Options, P extends Positionals> {
    options: { [Name in keyof O]: OptionValue<O[Name]> };
    args: { [Name in keyof P]: P[Name] extends { optional: true } ? string | undefined : string };
    world: World;
    /** The value of --url, if it is given. */
    url: string | undefined;
    /** Whether --json is given. */
    json: boolean;
    /** Opens a client with the credentials of whoever is logged in. */
    service(options?: Partial<ClientOptions>): Promise<Client>;
}

/** The description of a command, from which help, completion, parsing and the reference follow. */
export interface Definition<O extends Options, P extends Positionals> {
    /** One word or two: `keys create`. */
    name: string;
    summary: string;
    /** More about it, in sentences. */
    details?: string;
    /** In the order in which they are given. Their names are shown in capitals. */
    positionals?: P;
    options?: O;
    examples: readonly [Example, ...Example[]];
    run(invocation: Invocation<O, P>): Promise<Report>;
}

export type Command = Definition<Options, Positionals>;

/** Options of every command. */
export const COMMON_OPTIONS = {
    url: { value: 'URL', summary: 'Address of the service; else CRED_URL, or where you logged in' },
    json: { summary: 'Print JSON for programs' },
    help: { summary: 'Show this help' },
} as const satisfies Options;

/** Declares a command. The types of its options and positionals follow from their description. */
export function command<const O extends Options = Options, const P extends Positionals = Positionals>(
    definition: Definition<O, P>,
): Command {
    return definition as unknown as Command; // parse.ts gives it values of the types that it has declared
}
