/** What is wrong with a line of an audit, as a sentence. */
export class Fault extends Error {}
