import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Answer, type Call, expectError, expectOk, send } from '../support/client.ts';
import { sendRaw } from '../support/raw.ts';
import { within } from '../support/slowness.ts';
import { newEmail, register } from '../support/world.ts';

/** Returns a random client address, so that tests do not share one. */
const newAddress = (): string => `198.18.${randomInt(256)}.${randomInt(1, 255)}`;

const login = (email: string, password: string, address: string, gateway = 0): Call => ({
    method: 'POST',
    path: '/internal/v1/auth/login',
    internal: true,
    headers: { 'X-Client-Address': address },
    body: { email, password },
    gateway,
});

/** Wait after the tenth failure, in milliseconds. */
const WAIT_MS = 1_000;

/** Defines a test that has to finish before the wait after ten failures ends. */
function itGuards(name: string, check: () => Promise<void>): void {
    it(name, () => within(WAIT_MS, check));
}

async function failTenTimes(email: string, address: string): Promise<void> {
    for (let guess = 0; guess < 10; guess++) await expectError(401, login(email, `guess ${guess}`, address, guess % 2));
}

function assertTold(answer: Answer): void {
    const wait = Number(answer.headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 900);
    assert.match(answer.body.error, new RegExp(`\\d+ requests per minute.*Try again in ${wait} seconds?\\.`));
}

describe('after ten wrong passwords from one address', () => {
    itGuards('the right password has to wait as well, on both gateways', async () => {
        const { email, password } = await register();
        const address = newAddress();
        await failTenTimes(email, address);
        assertTold(await expectError(429, login(email, password, address, 1)));
        assertTold(await expectError(429, login(email.toUpperCase(), 'wrong', address)));
    });

    itGuards('the account can log in from any other address', async () => {
        const { email, password } = await register();
        await failTenTimes(email, newAddress());
        await expectOk(200, login(email, password, newAddress()));
        await expectOk(200, { method: 'POST', path: '/internal/v1/auth/login', body: { email, password } });
    });

    itGuards('any other account can log in from that address', async () => {
        const [guessed, other] = [await register(), await register()];
        const address = newAddress();
        await failTenTimes(guessed.email, address);
        await expectOk(200, login(other.email, other.password, address));
    });

    itGuards('an account that does not exist has to wait in the same way', async () => {
        const [email, address] = [newEmail(), newAddress()];
        await failTenTimes(email, address);
        assertTold(await expectError(429, login(email, 'guess', address)));
    });
});

it('nine wrong passwords cause no wait, and the right one resets the count', async () => {
    const { email, password } = await register();
    const address = newAddress();
    for (let round = 0; round < 2; round++) {
        for (let guess = 0; guess < 9; guess++) await expectError(401, login(email, 'wrong', address));
        await expectOk(200, login(email, password, address));
    }
});

itGuards('only ten of fifty wrong passwords at once on two gateways are checked', async () => {
    const { email, password } = await register();
    const address = newAddress();
    const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) => send(login(email, `${at}`, address, at % 2))),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(401), count(429)], [10, 40]);
    assertTold(await expectError(429, login(email, password, address)));
});

it('after a hundred wrong passwords from many addresses, only addresses with an earlier login can log in', async () => {
    const { email, password } = await register();
    const [own, ownToo] = [newAddress(), newAddress()];
    for (const address of [own, ownToo]) await expectOk(200, login(email, password, address));
    const guesses = Array.from({ length: 100 }, (_, at) => login(email, `${at}`, `192.0.2.${at}`, at % 2));
    await Promise.all(guesses.map((guess) => expectError(401, guess)));
    assert.equal((await send(login(email, password, newAddress()))).status, 429);
    for (const address of [own, ownToo]) await expectOk(200, login(email, password, address, 1));
    const other = await register();
    await expectOk(200, login(other.email, other.password, '192.0.2.1'));
});

it('forty logins at once on two gateways with the right password all succeed', async () => {
    const { email, password } = await register();
    const address = newAddress();
    await Promise.all(Array.from({ length: 40 }, (_, at) => expectOk(200, login(email, password, address, at % 2))));
});

itGuards(
    'X-Client-Address is ignored without the internal secret, and guesses count for the caller’s address',
    async () => {
        const { email, password } = await register();
        const from = `127.0.${randomInt(10, 250)}.${randomInt(1, 255)}`;
        const guess = (text: string) =>
            sendRaw({
                method: 'POST',
                path: '/internal/v1/auth/login',
                headers: [
                    ['Content-Type', 'application/json'],
                    ['X-Client-Address', newAddress()],
                    ['X-Forwarded-For', newAddress()],
                ],
                body: JSON.stringify({ email, password: text }),
                from,
            });
        for (let failed = 0; failed < 10; failed++) assert.equal((await guess('wrong')).status, 401);
        assert.equal((await guess(password)).status, 429);
        await expectOk(200, login(email, password, newAddress()));
    },
);

itGuards('all addresses of an IPv6 network count as one, and so do all spellings of an IPv4 address', async () => {
    const network = `2001:db8:${randomInt(1, 65_536).toString(16)}:1`;
    const { email, password } = await register();
    for (let at = 0; at < 10; at++) await expectError(401, login(email, 'wrong', `${network}::${at + 1}`));
    await expectError(429, login(email, password, `${network}:ffff:ffff:ffff:ffff`));
    await expectOk(200, login(email, password, `${network}2::1`));

    const [second, octets] = [await register(), [198, 19, randomInt(256), randomInt(1, 255)] as const];
    const hex = octets.map((octet) => octet.toString(16).padStart(2, '0'));
    await failTenTimes(second.email, octets.join('.'));
    for (const written of [
        `::ffff:${octets.join('.')}`,
        `::FFFF:${octets.join('.')}`,
        `::ffff:${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`,
    ]) {
        await expectError(429, login(second.email, second.password, written));
    }
});

it('an invalid X-Client-Address gets 400', async () => {
    const { email, password } = await register();
    for (const address of ['somewhere', '1.2.3', '1.2.3.4.5', '1.2.3.4, 5.6.7.8', '::1::', '256.1.1.1', '1.2.3.4:80']) {
        await expectError(400, login(email, password, address));
    }
});
