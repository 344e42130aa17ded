/** Preloaded with `--import`. Moves the wall clock of this process ahead by CLOCK_SHIFT_MS. */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS']);
const Real = Date;
globalThis.Date = new Proxy(Real, {
    construct: (target, args) => (args.length === 0 ? new Real(Real.now() + shiftMs) : Reflect.construct(target, args)),
    get: (target, name, receiver) =>
        name === 'now' ? () => Real.now() + shiftMs : Reflect.get(target, name, receiver),
});
