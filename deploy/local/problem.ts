/** An error that the user of the launcher can correct. The launcher shows only its message, without a stack. */
export class Problem extends Error {
    override readonly name = 'Problem';
}
