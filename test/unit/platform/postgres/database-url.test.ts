import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, loadConfig } from '../../../../platform/process/config.ts';

const URL_BEFORE = 'postgresql://ada:hush@db.example:5432/credentials';
const read = (url: string) => loadConfig({ DATABASE_URL: url }).DATABASE_URL;

describe('DATABASE_URL', () => {
    it('is used unchanged if both drivers support all of it', () => {
        for (const query of ['', '?sslmode=disable', '?sslmode=require&application_name=x', '?sslmode=no-verify']) {
            assert.equal(read(`${URL_BEFORE}${query}`), `${URL_BEFORE}${query}`);
        }
        assert.equal(
            read('postgres:///credentials?host=/run/postgresql'),
            'postgres:///credentials?host=/run/postgresql',
        );
    });

    it('may ask for verification of the certificate and the host by either name', () => {
        assert.equal(read(`${URL_BEFORE}?sslmode=verify-full`), `${URL_BEFORE}?sslmode=require`);
    });

    it('that the roles cannot use is refused by migrate, too, and the error does not show it', () => {
        for (const [url, message] of [
            [`${URL_BEFORE}?sslmode=verify-ca`, /DATABASE_URL: sslmode must be .*require/],
            [`${URL_BEFORE}?sslmode=prefer`, /DATABASE_URL: sslmode must be/],
            ['host=db.example password=hush', /DATABASE_URL: must be a URL/],
            ['mysql://ada:hush@db.example/credentials', /DATABASE_URL: must be a URL/],
        ] as const) {
            assert.throws(
                () => read(url),
                (error) => {
                    assert.ok(error instanceof ConfigError);
                    assert.match(error.message, message);
                    assert.doesNotMatch(error.message, /hush/);
                    return true;
                },
            );
        }
    });
});
