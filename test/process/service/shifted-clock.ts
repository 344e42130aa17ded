/** Preloaded with `--import`: this process believes in a wall clock that is CLOCK_SHIFT_MS ahead. */
const shift_ms = Number(process.env['CLOCK_SHIFT_MS']);
const Real = Date;
globalThis.Date = new Proxy(Real, {
    construct: (target, args) =>
        args.length === 0 ? new Real(Real.now() + shift_ms) : Reflect.construct(target, args),
    get: (target, name, receiver) =>
        name === 'now' ? () => Real.now() + shift_ms : Reflect.get(target, name, receiver),
});
