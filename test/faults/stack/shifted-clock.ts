/**
 * Loaded by `--import` into one process: its wall clock is wrong by CLOCK_SHIFT_MS, as on a machine whose clock nobody sets.
 * Its monotonic clock goes on as before.
 */
const shift = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
const Real = globalThis.Date;

class ShiftedDate extends Real {
    static override now(): number {
        return Real.now() + shift;
    }

    constructor(...given: unknown[]) {
        if (given.length === 0) super(Real.now() + shift);
        else super(...(given as [number])); // any of the forms that Date takes
    }
}

globalThis.Date = ShiftedDate as DateConstructor; // it can be called without `new` no more, which nobody does
