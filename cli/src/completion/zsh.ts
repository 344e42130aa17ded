import type { Command } from '../command.ts';
import { cases } from './cases.ts';
import { quoted } from './places.ts';

/** The script for zsh. */
export function zsh(commands: readonly Command[]): string {
    const shared = cases(commands, {
        previous: '$words[CURRENT-1]',
        word: '$words[index]',
        loop: 'index = 2; index < CURRENT',
        offer: (values) => (values.length > 0 ? `compadd ${values.join(' ')}` : '_files'),
        branch({ after, words }) {
            const items = words.map(({ word, summary }) => quoted(`${word.replaceAll(':', '\\:')}:${summary}`));
            return `${quoted(after)}) items=(${items.join(' ')})`;
        },
    });
    return `#compdef cred
# Completes cred in zsh: cred completion zsh > "\${fpath[1]}/_cred"
_cred() {
    local after="" index
    local -a items
    if compset -P @; then _files; return; fi
${shared}
    _describe 'cred' items || _files
}
[[ "$funcstack[1]" = _cred ]] && _cred "$@" || compdef _cred cred
`;
}
