import type { Command } from '../command.ts';
import { cases } from './cases.ts';

/** The script for bash. */
export function bash(commands: readonly Command[]): string {
    const shared = cases(commands, {
        previous: `\${COMP_WORDS[COMP_CWORD-1]}`,
        word: `\${COMP_WORDS[index]}`,
        loop: 'index = 1; index < COMP_CWORD',
        offer: (values) => `_cred_reply ${values.length > 0 ? `-W "${values.join(' ')}"` : '-f'} -- "$word"`,
        branch: ({ after, words }) => `"${after}") words="${words.map(({ word }) => word).join(' ')}"`,
    });
    return `# Completes cred in bash: source <(cred completion bash)
# A name of a file may have blanks, so each line is one reply.
_cred_reply() {
    local line
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@")
}
# The names of files behind @, which is no part of the name: so bash would not quote them.
_cred_at() {
    local file form=%q
    [[ "\${COMP_WORDS[COMP_CWORD]}" == [\\"\\']* ]] && form=%s
    _cred_reply -f -- "\${1#@}"
    compopt +o filenames 2> /dev/null
    for index in "\${!COMPREPLY[@]}"; do
        file="\${COMPREPLY[index]}"
        COMPREPLY[index]="@$(printf "$form" "$file")"
        if [[ -d "$file" ]]; then
            COMPREPLY[index]+=/
            compopt -o nospace 2> /dev/null
        fi
    done
}
_cred() {
    local word="$2" after="" words="" index
    COMPREPLY=()
    if [[ "$word" == @* ]]; then _cred_at "$word"; return; fi
${shared}
    _cred_reply -W "$words" -- "$word"
    [[ "$word" == -* || \${#COMPREPLY[@]} -gt 0 ]] || _cred_reply -f -- "$word"
}
complete -o filenames -F _cred cred
`;
}
