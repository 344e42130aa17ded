/** A terminal's colours of text that has none of its own. 255 is white. */
interface Theme {
    ink: number;
    paper: number;
}

export const DARK: Theme = { ink: 255, paper: 0 };
export const LIGHT: Theme = { ink: 0, paper: 255 };

/** Which colour a sequence of SGR sets (ECMA-48; 16 and 231 are the ends of the palette of 256). */
const SEQUENCES: Record<string, (theme: Theme) => Theme> = {
    '38;5;231;48;5;16': () => ({ ink: 255, paper: 0 }),
    '0': (theme) => theme,
};

/** What a terminal shows of rows of half blocks: two pixels for each character, one above the other. */
function pixelRows(line: string, theme: Theme): number[][] {
    let colours = theme;
    const upper: number[] = [];
    const lower: number[] = [];
    for (const [part, sequence] of line.matchAll(/\u001b\[([\d;]*)m|./gsu)) {
        if (sequence !== undefined) {
            const change = SEQUENCES[sequence];
            if (change === undefined) throw new TypeError(`SGR ${sequence}`);
            colours = change(theme);
            continue;
        }
        if (!' █▀▄'.includes(part)) throw new TypeError(`no half block: ${part}`);
        upper.push('█▀'.includes(part) ? colours.ink : colours.paper);
        lower.push('█▄'.includes(part) ? colours.ink : colours.paper);
    }
    return [upper, lower];
}

/** What a camera sees of it: an RGBA picture with several pixels for each module. */
export function photographed(drawn: string, theme: Theme, scale = 4) {
    const modules = drawn.split('\n').slice(0, -1);
    const rows = modules.flatMap((line) => pixelRows(line, theme));
    const [width, height] = [(rows[0]?.length ?? 0) * scale, rows.length * scale];
    const data = new Uint8ClampedArray(width * height * 4);
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            const grey = rows[Math.floor(y / scale)]?.[Math.floor(x / scale)] ?? 0;
            data.set([grey, grey, grey, 255], (y * width + x) * 4);
        }
    }
    return { rows, width, height, data };
}
