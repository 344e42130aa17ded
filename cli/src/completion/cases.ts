import type { Command } from '../command.ts';
import { beginningsOf, type Place, placesOf, valuesOf } from './places.ts';

/** How a shell says what bash and zsh say differently. */
interface Dialect {
    /** The word before the one that is completed. */
    previous: string;
    /** The word at `index`. */
    word: string;
    /** The head of the loop over the words that are complete. */
    loop: string;
    /** Offers these values of an option; files if there are none. */
    offer(values: readonly string[]): string;
    /** The branch for a place. */
    branch(place: Place): string;
}

/** The part of a function that bash and zsh share: offers the values of an option, or finds the place of the word. */
export function cases(commands: readonly Command[], { previous, word, loop, offer, branch }: Dialect): string {
    const values = valuesOf(commands).map(
        ({ option, values: known }) => `        ${option}) ${offer(known)}; return ;;`,
    );
    const beginnings = beginningsOf(commands).map(
        ({ pattern, after }) => `            "${pattern}") after="${after}" ;;`,
    );
    return `    case "${previous}" in
${values.join('\n')}
    esac
    for ((${loop}; index++)); do
        case "$after ${word}" in
${beginnings.join('\n')}
        esac
    done
    case "$after" in
${placesOf(commands)
    .map((place) => `        ${branch(place)} ;;`)
    .join('\n')}
    esac`;
}
