import type { Command } from '../command.ts';
import { beginningsOf, placesOf, valuesOf } from './places.ts';

/** The script for bash. */
export function bash(commands: readonly Command[]): string {
    const places = placesOf(commands).map(
        ({ after, words }) => `        "${after}") words="${words.map(({ word }) => word).join(' ')}" ;;`,
    );
    const values = valuesOf(commands).map(({ option, values: known }) =>
        known.length > 0
            ? `        ${option}) COMPREPLY=($(compgen -W "${known.join(' ')}" -- "$word")); return ;;`
            : `        ${option}) COMPREPLY=($(compgen -f -- "$word")); return ;;`,
    );
    return `# Completes cred in bash: source <(cred completion bash)
_cred() {
    local word="\${COMP_WORDS[COMP_CWORD]}" after="" words="" index
    COMPREPLY=()
    case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
    esac
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "$after \${COMP_WORDS[index]}" in
${beginningsOf(commands)
    .map(({ pattern, after }) => `            "${pattern}") after="${after}" ;;`)
    .join('\n')}
        esac
    done
    case "$after" in
${places.join('\n')}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    [[ "$word" == -* || \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _cred cred
`;
}
