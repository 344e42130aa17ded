import { encodeQR } from 'qr';
import type { World } from '../world.ts';
import { hasColours } from './text.ts';

/** Modules of light around the code, as ISO/IEC 18004 demands. */
const QUIET_ZONE = 4;
/**
 * White on black from the fixed part of the palette, which themes leave alone: the characters are the light modules, so
 * without colours the code is right in a dark terminal.
 */
const COLOURS = '\u001b[38;5;231;48;5;16m';
const RESET = '\u001b[0m';

/** Draws a text as a QR code with two modules in each character, for a terminal that is wide enough. */
export function qrCode(text: string, { stdout, env }: Pick<World, 'stdout' | 'env'>): string {
    const rows = encodeQR(text, 'ascii', { ecc: 'low', border: QUIET_ZONE }).trimEnd().split('\n');
    const width = rows[0]?.length ?? 0;
    if (stdout.columns && stdout.columns < width) return `The QR code needs a terminal of ${width} columns.\n`;
    const drawn = hasColours({ stdout, env }) ? rows.map((row) => `${COLOURS}${row}${RESET}`) : rows;
    return `${drawn.join('\n')}\n`;
}
