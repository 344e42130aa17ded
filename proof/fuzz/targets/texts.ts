import assert from 'node:assert/strict';
import { needsRehash as otherNeedsRehash, verify as otherVerify } from 'argon2';
import { requireEmail } from '../../../services/identity/email.ts';
import { readDateTime, readExpiry } from '../../../tokens/times.ts';
import { hashPassword, needsRehash, verifyPassword } from '../../../workers/crypto/password.ts';
import { attempt, target } from '../parsers/target.ts';

/** An accepted address comes back in its stored form, and is within the limits of RFC 5321. */
export const email = target({
    name: 'email',
    seeds: [
        'grace@example.com',
        ' Ada.Lovelace+x@Sub.Example.ORG ',
        'ﬀ@ﬀ.example',
        'e\u0301@x.example',
        'İ@x.example',
        'a@b',
        '@a.b',
        'a@-a.b',
        'a@a..b',
    ],
    dictionary: [
        '@',
        '.',
        '-',
        '..',
        '.-',
        '-.',
        ' ',
        '\u200b',
        '\u00ad',
        '\u2800',
        '\u0130',
        '\u1e9b\u0323',
        '\u3002',
        '\u037e',
        '\ufdfa',
        '\uff20',
        'example.com',
    ],
    maxBytes: 256 << 10,
    parse: (input) => attempt(() => requireEmail(input.toString())),
    check(_input, { value: address }) {
        if (address === undefined) return;
        assert.equal(requireEmail(address), address, 'the stored form is not a fixed point');
        assert.equal(address.normalize('NFKC'), address);
        assert.doesNotMatch(address, /[\s\p{Cc}\p{Cf}\p{Cs}]/u);
        const [local = '', domain = '', ...rest] = address.split('@');
        assert.equal(rest.length, 0);
        assert.ok([...local].length >= 1 && [...local].length <= 64 && [...address].length <= 254);
        const labels = domain.split('.');
        assert.ok(
            labels.length >= 2 &&
                labels.every((label) => label !== '' && !label.startsWith('-') && !label.endsWith('-')),
        );
    },
});

const DIGITS_AT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)$/i;

/** Milliseconds since 1970 by calendar arithmetic. Undefined if the text is no instant. */
function instantOf(text: string): number | undefined {
    const match = DIGITS_AT.exec(text);
    if (!match) return undefined;
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
        .slice(1, 7)
        .map((part) => Number(part ?? 0));
    const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
    const monthDays = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
    const zone = match[8] ?? 'Z';
    const [zoneHours, zoneMinutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)];
    if (day < 1 || day > monthDays || hour > 23 || minute > 59 || second > 59) return undefined;
    const offset = /z/i.test(zone) ? 0 : (zone.startsWith('-') ? -1 : 1) * (zoneHours * 60 + zoneMinutes) * 60_000;
    if (!/z/i.test(zone) && (zoneHours > 23 || zoneMinutes > 59)) return undefined;
    const fraction = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
    const utc = new Date(0);
    utc.setUTCFullYear(year, month - 1, day);
    return utc.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000 + fraction - offset;
}

export const dateTime = target({
    name: 'date-time',
    seeds: [
        '2026-11-20T21:47:24.810Z',
        '2024-02-29T23:59+01',
        '0001-01-01T00:00:00+00:01',
        '9999-12-31T23:59:59.9999-0001',
        '2026-02-30T00:00Z',
        '2026-01-01t00:00z',
        '2026-01-01',
    ],
    dictionary: ['T', 'Z', '+00:00', '-23:59', '+24', '.', '0000', '9999', '-02-29', '24:00', ':60', '+275760'],
    maxBytes: 64 << 10,
    parse: (input) => ({ exact: readDateTime(input.toString()), expiry: readExpiry(input.toString()) }),
    check(input, { exact, expiry }) {
        const text = input.toString();
        assert.equal(exact, writtenOf(text));
        assert.equal(expiry, /^\d{4}-\d\d-\d\d$/.test(text) ? writtenOf(`${text}T00:00Z`) : exact);
    },
});

/** The stored form of an instant in the years 1 to 9999 in UTC. Undefined for any other text. */
function writtenOf(text: string): string | undefined {
    const ms = instantOf(text);
    if (ms === undefined || ms < Date.UTC(2000) - 1999 * 365.2425 * 86_400_000 - 4 * 86_400_000) return undefined;
    const written = new Date(ms).toISOString();
    return /^(?!0000)\d{4}-/.test(written) ? written : undefined;
}

const CHEAP = { memory_kib: 8, passes: 1 };
const PASSWORD = 'correct horse';
const SALT = 'c29tZXNhbHRzb21lc2FsdA';
const HASH = 'vRnzQeN7P3cLPnSWPiOnjuTkmzjXZYQPdP4QS5cFlNA';
/** Largest memory of a hash that the fuzzer computes, in KiB. Larger hashes, up to 256 MiB, take too long. */
const MAX_KIB = 128;

/**
 * A stored hash is accepted or refused as `internal`. An accepted hash matches if the reference implementation says so.
 */
export const phcString = target({
    name: 'phc-string',
    isCostly: true,
    seeds: [
        hashPassword(PASSWORD, CHEAP),
        `$argon2id$v=19$m=8,t=1,p=1$${SALT}$${HASH}`,
        `$argon2id$v=19$m=16,p=1,t=2$${SALT}$${HASH}`,
        `$argon2i$v=19$m=8,t=1,p=1$${SALT}$${HASH}`,
        '',
    ],
    dictionary: ['$', 'm=', 't=', 'p=1', ',', 'v=19', 'argon2id', 'm=8', 't=1', '0', '262144', '9999999', '='],
    maxBytes: 1 << 10,
    parse(input) {
        const phc = input.toString('latin1');
        const [, memory = '0'] = /[$,]m=(\d+)/.exec(phc) ?? [];
        const stale = attempt(() => needsRehash(phc, CHEAP), 'internal');
        const isCheap = Number(memory) <= MAX_KIB;
        return { stale, matches: isCheap ? attempt(() => verifyPassword(phc, PASSWORD), 'internal') : undefined };
    },
    async check(input, { stale, matches }) {
        const phc = input.toString('latin1');
        if (stale.refused !== undefined) return assert.ok(matches === undefined || matches.refused !== undefined);
        const other = otherNeedsRehash(phc, { memoryCost: CHEAP.memory_kib, timeCost: CHEAP.passes, parallelism: 1 });
        assert.equal(stale.value, other, 'needsRehash');
        if (matches) assert.equal(matches.value, await otherVerify(phc, PASSWORD));
    },
});
