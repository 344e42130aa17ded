import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { CliError } from '../errors.ts';
import { chunksOf, type Input, MAX_LINE_BYTES, nameOf } from './lines.ts';

interface CsvRow {
    /** The line on which the row begins. A cell in quotes may contain line feeds. */
    number: number;
    /** The cells by the names of their columns. */
    cells: Array<[column: string, value: string]>;
}

interface Parsed {
    record: string[];
    info: { lines: number };
}

const OPTIONS = {
    bom: true,
    info: true,
    max_record_size: MAX_LINE_BYTES,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true, // the error would not say where the row begins
};

/**
 * Reads a CSV file (RFC 4180) row by row. Its first row has the names of the columns. Each row ends with CRLF, LF or
 * CR. Empty lines are skipped.
 */
export async function* rowsOf(input: Input): AsyncGenerator<CsvRow> {
    const path = nameOf(input);
    const parser = Readable.from(decoded(input)).on('error', (error) => parser.destroy(error));
    const records = parser.pipe(parse(OPTIONS));
    parser.on('error', (error) => records.destroy(error));
    let columns: string[] | undefined;
    let countedTwice = 0;
    try {
        for await (const { record, info } of records as AsyncIterable<Parsed>) {
            const ends = record.flatMap((cell) => cell.match(/\r\n|\n|\r/g) ?? []);
            countedTwice += ends.filter((end) => end === '\r\n').length; // the parser counts both characters in a cell
            if (record.length === 1 && record[0]?.trim() === '') continue;
            const number = info.lines - countedTwice - ends.length;
            if (columns === undefined) columns = columnsOf(record, path);
            else if (record.length === columns.length) yield { number, cells: pairs(columns, record) };
            else throw new CliError(`Line ${number} of ${path} does not have as many cells as the first row.`);
        }
    } catch (error) {
        throw error instanceof CsvError ? csvError(error, path, countedTwice) : error;
    }
}

const pairs = (columns: readonly string[], record: readonly string[]): CsvRow['cells'] =>
    columns.map((column, index) => [column, record[index] ?? '']);

function columnsOf(names: readonly string[], path: string): string[] {
    const columns = names.map((name) => name.trim());
    const seen = new Set(['']);
    const double = columns.find((name) => seen.size === seen.add(name).size);
    if (double === undefined) return columns;
    const fault = double === '' ? 'a column without a name' : `the column ${double} twice`;
    throw new CliError(`The first row of ${path} has ${fault}.`);
}

function csvError({ code, ...error }: CsvError, path: string, countedTwice: number): CliError {
    const reasons: Partial<Record<CsvError['code'], string>> = {
        CSV_MAX_RECORD_SIZE: `is longer than ${MAX_LINE_BYTES >> 10} KiB`,
        CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
    };
    const lines = 'lines' in error ? `The row that ends on line ${Number(error.lines) - countedTwice}` : 'A row';
    return new CliError(`${lines} of ${path} ${reasons[code] ?? 'is no valid CSV'}.`);
}

async function* decoded(input: Input): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
        for await (const chunk of chunksOf(input)) yield decoder.decode(chunk, { stream: true });
        yield decoder.decode();
    } catch (error) {
        throw error instanceof TypeError ? new CliError(`${nameOf(input)} is not UTF-8.`) : error;
    }
}
