import type { Command } from '../../cli/src/command.ts';
import { optionSummary, usageOf } from '../../cli/src/help.ts';
import { COMMANDS } from '../../cli/src/table.ts';
import { wrapped } from '../../cli/src/terminal/text.ts';

const WIDTH = 120;

const HEADER = `# Commands of cred

\`npm run reference\` writes this page from \`cli/src/table.ts\`. [Command line](../../cli/README.md) explains secrets, exit
codes and batches. Every command also has \`--url\` (the address of the service, else \`CRED_URL\`, else where you logged
in), \`--json\` and \`--help\`.
`;

/** The text of docs/reference/cli.md: every command of `cred`. */
export function commandsPage(): string {
    return `${HEADER}\n${COMMANDS.map(commandSection).join('\n')}`;
}

function commandSection(command: Command): string {
    const { name, summary, details, positionals = {}, options = {}, examples } = command;
    const rows = [
        ...Object.entries(positionals).map(([positional, it]) => [positional.toUpperCase(), it.summary]),
        ...Object.entries(options).map(([option, it]) => [
            `--${option}${it.value ? ` ${it.value}` : ''}`,
            optionSummary(it),
        ]),
    ];
    return [
        `## cred ${name}`,
        '',
        ...wrapped(`${summary}.${details ? ` ${details}` : ''}`, WIDTH),
        '',
        '```sh',
        usageOf(command),
        ...examples.flatMap(({ line, note }) => [`# ${note ?? 'for example'}`, line]),
        '```',
        '',
        ...(rows.length > 0 ? ['| | |', '|---|---|', ...rows.map(tableRow), ''] : []),
    ].join('\n');
}

function tableRow([what = '', summary = '']: string[]): string {
    return `| \`${what}\` | ${summary.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`;
}
