/** Something the person who started the launcher can put right: shown as its message alone, without a stack. */
export class Problem extends Error {
    override readonly name = 'Problem';
}
