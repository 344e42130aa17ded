import type { Command } from '../command.ts';
import { beginningsOf, optionsOf, placesOf, quoted } from './places.ts';

const condition = (after: string): string => `-n ${quoted(`test "$(__cred_after)" = ${quoted(after)}`)}`;

/** The script for fish. */
export function fish(commands: readonly Command[]): string {
    const isCommand = (after: string): boolean => commands.some(({ name }) => name === after);
    const words = placesOf(commands).flatMap(({ after, words }) =>
        words
            .filter(({ word }) => !word.startsWith('--'))
            .map(({ word, summary }) => {
                const noFiles = isCommand(after) ? '' : ' -f';
                return `complete -c cred ${condition(after)}${noFiles} -a ${quoted(word)} -d ${quoted(summary)}`;
            }),
    );
    const options = commands.flatMap((command) =>
        optionsOf(command).map(([name, { value, choices, summary }]) => {
            const values = choices ? ` -x -a ${quoted(choices.join(' '))}` : value === undefined ? '' : ' -r';
            return `complete -c cred ${condition(command.name)} -l ${name}${values} -d ${quoted(summary)}`;
        }),
    );
    return `# Completes cred in fish: cred completion fish > ~/.config/fish/completions/cred.fish
function __cred_after
    set -l after ""
    for word in (commandline -opc)[2..-1]
        switch (string trim "$after $word")
            case ${beginningsOf(commands)
                .map(({ after }) => quoted(after))
                .join(' ')}
                set after (string trim "$after $word")
        end
    end
    echo $after
end
# The names of files behind @.
function __cred_at
    set -l word (commandline -ct)
    string match -q '@*' -- $word; and printf '@%s\\n' (__fish_complete_path (string sub -s 2 -- $word))
end
complete -c cred -a '(__cred_at)'
${[...words, ...options].join('\n')}
`;
}
