import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { CliError } from '../errors.ts';
import { chunksOf, MAX_LINE_BYTES } from './lines.ts';

export interface CsvRow {
    /** The line on which the row begins. A cell in quotes may contain line feeds. */
    number: number;
    /** The cells by the names of their columns. */
    cells: Array<[column: string, value: string]>;
}

interface Parsed {
    record: string[];
    info: { lines: number };
}

/** Reads a CSV file (RFC 4180) row by row. Its first row has the names of the columns. */
export async function* rowsOf(path: string): AsyncGenerator<CsvRow> {
    const options = { bom: true, info: true, max_record_size: MAX_LINE_BYTES };
    const parser = Readable.from(decoded(path)).on('error', (error) => parser.destroy(error));
    const records = parser.pipe(parse(options));
    parser.on('error', (error) => records.destroy(error));
    let columns: string[] | undefined;
    let number = 1;
    try {
        for await (const { record, info } of records as AsyncIterable<Parsed>) {
            if (columns === undefined) columns = columnsOf(record, path);
            else yield { number, cells: columns.map((column, index) => [column, record[index] ?? '']) };
            number = info.lines + 1;
        }
    } catch (error) {
        throw error instanceof CsvError ? csvError(error, path) : error;
    }
}

function columnsOf(names: readonly string[], path: string): string[] {
    const columns = names.map((name) => name.trim());
    const double = columns.find((name) => name === '') ?? firstDouble(columns);
    if (double === undefined) return columns;
    const fault = double === '' ? 'a column without a name' : `the column ${double} twice`;
    throw new CliError(`The first row of ${path} has ${fault}.`);
}

/** Returns the first text that stands in a list a second time. */
export function firstDouble(texts: readonly string[]): string | undefined {
    const seen = new Set<string>();
    return texts.find((text) => seen.size === seen.add(text).size);
}

function csvError({ code, ...error }: CsvError, path: string): CliError {
    const reasons: Partial<Record<CsvError['code'], string>> = {
        CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'does not have as many cells as the first row',
        CSV_MAX_RECORD_SIZE: `is longer than ${MAX_LINE_BYTES >> 10} KiB`,
        CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
    };
    const lines = 'lines' in error ? `The row that ends on line ${error.lines}` : 'A row';
    return new CliError(`${lines} of ${path} ${reasons[code] ?? 'is no valid CSV'}.`);
}

async function* decoded(path: string): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
        for await (const chunk of chunksOf(path)) yield decoder.decode(chunk, { stream: true });
        yield decoder.decode();
    } catch (error) {
        throw error instanceof TypeError ? new CliError(`${path} is not UTF-8.`) : error;
    }
}
