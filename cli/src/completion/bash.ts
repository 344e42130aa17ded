import type { Command } from '../command.ts';
import { cases } from './cases.ts';

/** The script for bash. */
export function bash(commands: readonly Command[]): string {
    const shared = cases(commands, {
        previous: `\${COMP_WORDS[COMP_CWORD-1]}`,
        word: `\${COMP_WORDS[index]}`,
        loop: 'index = 1; index < COMP_CWORD',
        offer: (values) => `COMPREPLY=($(compgen ${values.length > 0 ? `-W "${values.join(' ')}"` : '-f'} -- "$word"))`,
        branch: ({ after, words }) => `"${after}") words="${words.map(({ word }) => word).join(' ')}"`,
    });
    return `# Completes cred in bash: source <(cred completion bash)
_cred() {
    local word="\${COMP_WORDS[COMP_CWORD]}" after="" words="" index
    COMPREPLY=()
${shared}
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    [[ "$word" == -* || \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _cred cred
`;
}
