import { type Command, command } from '../command.ts';
import { bash } from '../completion/bash.ts';
import { fish } from '../completion/fish.ts';
import { zsh } from '../completion/zsh.ts';

const SCRIPTS = { bash, zsh, fish } as const;

/** The command that prints a script for a shell, for all commands that `commands` returns. */
export function completion(commands: () => readonly Command[]): Command {
    return command({
        name: 'completion',
        summary: 'Print a script that completes commands in your shell',
        positionals: { shell: { summary: 'Your shell', choices: Object.keys(SCRIPTS) } },
        examples: [{ line: 'cred completion bash > ~/.local/share/bash-completion/completions/cred' }],
        async run({ args: { shell } }) {
            return { script: SCRIPTS[shell as keyof typeof SCRIPTS](commands()) }; // parse.ts allows no other
        },
    });
}
