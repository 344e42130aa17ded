import { nearest } from '../../platform/nearest.ts';
import { refuseSecrets } from './argv-secrets.ts';
import type { Command } from './command.ts';
import { asCliError, CliError } from './errors.ts';
import { commandHelp, overviewHelp } from './help.ts';
import { parseArguments } from './parse.ts';
import { printReport, type Report } from './report.ts';
import { openSession } from './session.ts';
import { COMMANDS } from './table.ts';
import { printable } from './terminal/text.ts';
import { VERSION } from './version.ts';
import type { World } from './world.ts';

/** Runs the program. Returns its exit code, and does not throw. */
export async function run(argv: readonly string[], world: World): Promise<number> {
    try {
        refuseSecrets(argv);
        return await runChecked(argv, world);
    } catch (error) {
        const { message, exitCode } = asCliError(error);
        world.stderr.write(`cred: ${printable(message)}\n`);
        return exitCode;
    }
}

async function runChecked(argv: readonly string[], world: World): Promise<number> {
    const asked = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
    if (asked[0] === '--version') return printReport({ script: `${VERSION}\n` }, world, false);
    const command = commandAt(asked);
    if (command === undefined) return printReport({ script: overview(asked) }, world, false);
    const rest = asked.slice(command.name.split(' ').length);
    const { options, args } = parseArguments(command, rest);
    if (options['help']) return printReport({ script: commandHelp(command) }, world, false);
    const url = typeof options['url'] === 'string' ? options['url'] : undefined;
    const json = options['json'] === true;
    const report: Report = await command.run({
        // parseArguments gives every option and argument the type that its description declares.
        options: options as Parameters<Command['run']>[0]['options'],
        args: args as Parameters<Command['run']>[0]['args'],
        world,
        url,
        json,
        service: (more) => openSession(world, url, more),
    });
    return printReport(report, world, json);
}

/** The command that the arguments begin with. */
function commandAt(argv: readonly string[]): Command | undefined {
    return COMMANDS.find(({ name }) => name.split(' ').every((word, index) => argv[index] === word));
}

/** The help of the program or of a group. Throws CliError if the arguments name an unknown command. */
function overview(argv: readonly string[]): string {
    const words = argv.slice(0, argv.findIndex((arg) => arg.startsWith('-')) >>> 0);
    const [first, second] = words;
    if (first === undefined) {
        const isHelp = argv.length === 0 || ['--help', '-h'].includes(argv[0] ?? '');
        if (isHelp) return overviewHelp(COMMANDS);
        throw new CliError('The command comes first: "cred COMMAND --option". See "cred --help".');
    }
    const isGroup = COMMANDS.some(({ name }) => name.startsWith(`${first} `));
    if (isGroup && second === undefined) return overviewHelp(COMMANDS, first);
    const names = COMMANDS.map(({ name }) => name);
    const groups = names.map((name) => name.split(' ')[0] ?? '');
    const meant = nearest([first, second].filter(Boolean).join(' '), names) ?? nearest(first, [...names, ...groups]);
    // The words are not repeated: somebody may have pasted a secret.
    throw new CliError(`There is no such command. ${meant ? `Do you mean "cred ${meant}"?` : 'See "cred --help".'}`);
}
