/**
 * How long a program is under load before it is measured, in seconds. V8 compiles hot code in threads of its own. In a
 * measured series of verifies, these threads took 200 µs per request in the first second, 48 in the second and 17 after
 * five, and the whole cost fell from 588 to 280 µs.
 */
export const WARMUP_S = 6;
