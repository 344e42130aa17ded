import type { Command } from '../command.ts';
import { beginningsOf, placesOf, quoted, valuesOf } from './places.ts';

/** The script for zsh. */
export function zsh(commands: readonly Command[]): string {
    const places = placesOf(commands).map(({ after, words }) => {
        const items = words.map(({ word, summary }) => quoted(`${word.replaceAll(':', '\\:')}:${summary}`));
        return `        ${quoted(after)}) items=(${items.join(' ')}) ;;`;
    });
    const values = valuesOf(commands).map(({ option, values: known }) =>
        known.length > 0
            ? `        ${option}) compadd ${known.join(' ')}; return ;;`
            : `        ${option}) _files; return ;;`,
    );
    return `#compdef cred
# Completes cred in zsh: cred completion zsh > "\${fpath[1]}/_cred"
_cred() {
    local after="" index
    local -a items
    case "$words[CURRENT-1]" in
${values.join('\n')}
    esac
    for ((index = 2; index < CURRENT; index++)); do
        case "$after $words[index]" in
${beginningsOf(commands)
    .map(({ pattern, after }) => `            "${pattern}") after="${after}" ;;`)
    .join('\n')}
        esac
    done
    case "$after" in
${places.join('\n')}
    esac
    _describe 'cred' items
    _files
}
[[ "$funcstack[1]" = _cred ]] && _cred "$@" || compdef _cred cred
`;
}
