import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Fields, ISSUING, itemsOf, picking, type Reader } from '../../../../cli/src/batch/items.ts';
import { cpuMs } from '../../cpu-time.ts';
import { all, newFile } from './files.ts';

const csv = (content: string | Buffer, reader: Reader = ISSUING) => all(itemsOf(newFile(content, 'csv'), reader));
const ndjson = (content: string, reader: Reader = ISSUING) => all(itemsOf(newFile(content), reader));

describe('items in CSV', () => {
    it('have a claim for every column that begins with claims., as a text', async () => {
        const content =
            '\ufeffsubject_did,credential_type,expiration_date,claims.role,claims.level,claims.subject_did\r\ndid:web:a,T,2030-01-01,"x, ""y""",7,z\r\n';
        assert.deepEqual(await csv(content), [
            {
                line: 2,
                fields: {
                    subject_did: 'did:web:a',
                    credential_type: 'T',
                    expiration_date: '2030-01-01',
                    claims: { role: 'x, "y"', level: '7', subject_did: 'z' },
                },
            },
        ]);
    });

    it('have the number of the line on which they begin', async () => {
        const items = await csv('subject_did,credential_type,claims.name\na,T,"two\nlines"\nb,T,\nc,T,x');
        assert.deepEqual(
            items.map(({ line }) => line),
            [2, 4, 5],
        );
    });

    it('end with CRLF, LF or CR, each of them in any row, and keep those that stand in quotes', async () => {
        const rows = ['a,T,engineer', 'b,T,"x\r\ny\rz\n"', '', ' ', 'c,T,', 'd,T,last'];
        for (const ends of [['\n'], ['\r\n'], ['\r'], ['\n', '\r\n'], ['\r\n', '\r', '\n']]) {
            const lines = ['', 'subject_did,credential_type,claims.name', ...rows];
            const content = lines.map((line, index) => line + (ends[index % ends.length] ?? '')).join('');
            const found = (await csv(content)).map(({ line, fields }) => [line, (fields['claims'] as Fields)['name']]);
            assert.deepEqual(
                found,
                [
                    [3, 'engineer'],
                    [4, 'x\r\ny\rz\n'],
                    [10, ''],
                    [11, 'last'],
                ],
                JSON.stringify(ends),
            );
            await assert.rejects(csv(`${content}e,T\n`), /Line 12 of .* as many cells/);
        }
    });

    it('have no expiry if the cell is empty, and an empty claim', async () => {
        const [item] = await csv('subject_did,credential_type,expiration_date,claims.role\na,T,,\n');
        assert.deepEqual(item?.fields, { subject_did: 'a', credential_type: 'T', claims: { role: '' } });
    });

    it('may have a claim with the name __proto__', async () => {
        const [item] = await csv('subject_did,credential_type,claims.__proto__\na,T,x\n');
        assert.equal(JSON.stringify(item?.fields['claims']), '{"__proto__":"x"}');
    });

    it('are refused with the line of the fault', async () => {
        const head = 'subject_did,credential_type,claims.role\n';
        for (const [content, fault] of [
            [`${head}a,T,x\nb,T\n`, /Line 3 of .* does not have as many cells as the first row/],
            [`${head}a,T,"x\n`, /quote that is not closed/],
            [`${head}a,T,x\nb,T,${'x'.repeat(300_000)}\n`, /line 3 of .* longer than 256 KiB/],
            [`${head}a,T,\u0000\n`, /Line 2 of .* has a NUL character/],
            ['subject_did,claims.role\na,x\n', /Line 2 of .*: there is no column credential_type/],
            [
                'subject_did,credential_type,claims.role,claims.role\n',
                /The first row of .* has the column claims\.role twice/,
            ],
            ['subject_did,credential_type,\n', /The first row of .* has a column without a name/],
            [
                'subject_did,credential_type,expiraton_date\na,T,2030-01-01\n',
                /Line 2 of .* has the unknown column expiraton_date: use subject_did, credential_type, expiration_date, or claims\.NAME for a claim/,
            ],
            [
                'subject_did,credential_type,claims.\na,T,x\n',
                /Line 2 of .* has the unknown column claims\.: use .* or claims\.NAME for a claim/,
            ],
            ['subject_did,credential_type,claims\na,T,{}\n', /give each claim a column of its own/],
            [Buffer.from([0x61, 0xff]), /is not UTF-8/],
        ] as const) {
            await assert.rejects(
                csv(content),
                (error: Error) => error.name === 'CliError' && fault.test(error.message),
                String(fault),
            );
        }
        await assert.rejects(all(itemsOf('/nonexistent.csv', ISSUING)), /it does not exist/);
    });
});

describe('a CSV file with 20,000 columns', () => {
    it('is read in linear time', async () => {
        const start = cpuMs();
        const columns = Array.from({ length: 20_000 }, (_, index) => `claims.${index}`).join(',');
        const row = `did:web:a,T${','.repeat(20_000)}\n`;
        const items = await csv(`subject_did,credential_type,${columns}\n${row.repeat(20)}`);
        assert.equal(Object.keys(items[19]?.fields['claims'] ?? {}).length, 20_000);
        assert.ok(cpuMs() - start < 8_000);
    });
});

describe('items in NDJSON', () => {
    it('are the objects of all lines that are not empty', async () => {
        const items = await ndjson('{"subject_did":"a","claims":{"n":1}}\n\n  \n{"subject_did":"b"}');
        assert.deepEqual(items, [
            { line: 1, fields: { subject_did: 'a', claims: { n: 1 } } },
            { line: 4, fields: { subject_did: 'b' } },
        ]);
    });

    it('are refused with the line of the fault', async () => {
        for (const [line, fault] of [
            ['{"a":', /Line 2 of .* cannot be used: not valid JSON/],
            ['[]', /Line 2 of .* must be a JSON object/],
            [
                '{"subject_did":"a","expires":"2030-01-01"}',
                /Line 2 of .* has the unknown field expires: use subject_did/,
            ],
            ['{"claims":{"n":12345678901234567890}}', /Line 2 of .* would lose digits/],
        ] as const) {
            await assert.rejects(ndjson(`{"subject_did":"a"}\n${line}\n`), fault);
        }
    });

    it('of a verification may be the results of another batch', async () => {
        const reader = picking('credential', 'issuer_did');
        assert.deepEqual(await ndjson('{"line":1,"ok":true,"credential":"t"}', reader), [
            { line: 1, fields: { credential: 't' } },
        ]);
        assert.deepEqual(await csv('credential,issuer_did\nt,d\nu,\n', reader), [
            { line: 2, fields: { credential: 't', issuer_did: 'd' } },
            { line: 3, fields: { credential: 'u' } },
        ]);
        await assert.rejects(ndjson('{"line":1,"ok":false}', reader), /Line 1 of .* has no credential/);
    });
});
