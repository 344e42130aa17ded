/** An error that the user of the launcher can correct. Only its message is shown, without a stack. */
export class Problem extends Error {
    override readonly name = 'Problem';
}
