/**
 * For so long a program is under load before it is measured, in seconds. V8 compiles what runs often in threads of its own: of a verify
 * they took 200 µs in the first second, 48 in the second, 17 after five, and the whole cost fell from 588 to 280 µs.
 */
export const WARMUP_S = 6;
