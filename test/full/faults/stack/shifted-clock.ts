/**
 * Loaded into a process by `--import`. Shifts its wall clock by CLOCK_SHIFT_MS, as on a machine with a wrong clock. The
 * monotonic clock does not change.
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

globalThis.Date = ShiftedDate as DateConstructor; // it cannot be called without `new`, which no code does
