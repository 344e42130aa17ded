import type { Command } from '../command.ts';
import { beginningsOf, placesOf, quoted, valuesOf } from './places.ts';

/** The script for fish. */
export function fish(commands: readonly Command[]): string {
    const lines = placesOf(commands).flatMap(({ after, words }) => {
        const condition = `test "$(__cred_after)" = ${quoted(after)}`;
        return words.map(
            ({ word, summary }) => `complete -c cred -n ${quoted(condition)} -a ${quoted(word)} -d ${quoted(summary)}`,
        );
    });
    const values = valuesOf(commands).flatMap(({ option, values: known }) =>
        known.length > 0
            ? [`complete -c cred -l ${option.slice(2)} -x -a ${quoted(known.join(' '))}`]
            : [`complete -c cred -l ${option.slice(2)} -r`],
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
${[...lines, ...values].join('\n')}
`;
}
