/** Settles as `work` does or, after `ms` milliseconds without a result, as `late` does: with undefined by default. */
export async function within<Result, Late = undefined>(
    ms: number,
    work: Promise<Result>,
    late?: () => Late,
): Promise<Result | Late> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, ms);
    // Without `late`, this is the promise of nothing.
    return Promise.race([work, over.promise.then(late) as Promise<Late>]).finally(() => clearTimeout(timer));
}
