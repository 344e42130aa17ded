import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectionTo } from '../../../../platform/postgres/database-url.ts';
import { ConfigError, loadConfig } from '../../../../platform/process/config.ts';

const BEFORE = 'postgresql://ada:hush@db.example:5433/credentials';
const read = (url: string) => loadConfig({ DATABASE_URL: url }).DATABASE_URL;
const tls = (query: string) => connectionTo(`${BEFORE}${query}`).ssl;

describe('DATABASE_URL', () => {
    it('names the server, the database and the role', () => {
        assert.equal(read(BEFORE), BEFORE);
        const { host, port, user, password, database } = connectionTo(BEFORE);
        assert.deepEqual([host, port, user, password, database], ['db.example', 5433, 'ada', 'hush', 'credentials']);
    });

    it('may escape every part, have an IPv6 address, or the path of a socket', () => {
        const escaped = connectionTo('postgres://a%40b:%2Fp%3A%23@[::1]/a%20b');
        assert.deepEqual([escaped.user, escaped.password, escaped.database], ['a@b', '/p:#', 'a b']);
        assert.deepEqual([escaped.host, escaped.port], ['::1', 5432]);
        assert.equal(connectionTo('postgres://ada@%2Frun%2Fpostgresql/x').host, '/run/postgresql');
    });

    it('asks for TLS by sslmode alone', () => {
        assert.deepEqual(['', '?sslmode=disable', '?application_name=x'].map(tls), [false, false, false]);
        assert.deepEqual(['?sslmode=require', '?sslmode=verify-full'].map(tls), [{}, {}]);
        assert.deepEqual(tls('?sslmode=no-verify'), { rejectUnauthorized: false });
    });

    for (const [what, url, message] of [
        ['a mode that verifies less than it seems', `${BEFORE}?sslmode=verify-ca`, /sslmode must be .*require/],
        ['a mode that may end in clear text', `${BEFORE}?sslmode=prefer`, /sslmode must be/],
        ['TLS in the way of other drivers', `${BEFORE}?ssl=true`, /accepts only the parameters sslmode/],
        ['a second host', `${BEFORE}?host=hush.example`, /accepts only the parameters/],
        ['a second port', `${BEFORE}?port=1`, /accepts only the parameters/],
        ['settings of the session', `${BEFORE}?options=-c%20timezone%3DCET`, /accepts only the parameters/],
        ['the schema of a part', `${BEFORE}?schema=credentials_1`, /accepts no parameter schema/],
        ['a parameter twice', `${BEFORE}?sslmode=require&sslmode=disable`, /each once/],
        ['an authority without TLS', `${BEFORE}?sslrootcert=/hush.pem`, /sslrootcert needs sslmode=require/],
        ['an authority that is not there', `${BEFORE}?sslmode=require&sslrootcert=/hush.pem`, /sslrootcert must name/],
        ['an authority that is no PEM', `${BEFORE}?sslmode=require&sslrootcert=package.json`, /sslrootcert must name/],
        ['no host', 'postgresql:///credentials', /must name a host/],
        ['a password that is cut off', 'postgresql://ada:12@hush#x/credentials', /must have no fragment/],
        ['a password with a wrong escape', 'postgresql://ada:hush%zz@db.example/x', /wrong %-escape/],
        ['a form of libpq', 'host=db.example password=hush', /must be a URL/],
        ['another database', 'mysql://ada:hush@db.example/credentials', /must be a URL/],
    ] as const) {
        it(`is refused at the start, and not shown, if it has ${what}`, () => {
            assert.throws(
                () => read(url),
                (error) => {
                    assert.ok(error instanceof ConfigError);
                    assert.match(error.message, /DATABASE_URL: /);
                    assert.match(error.message, message);
                    assert.doesNotMatch(error.message, /hush/);
                    return true;
                },
            );
        });
    }
});
