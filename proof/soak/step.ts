/** A step of a visit makes one call. */
export type Step = () => Promise<unknown>;
