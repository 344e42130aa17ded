import { writeFileSync } from 'node:fs';
import { SERVICE_ROLES } from '../../../proto/services.ts';

/**
 * `node test/full/deploy/compose-e2e.ts <file>` writes a compose file with what the end-to-end tests need beside
 * docker-compose.yml: Argon2id cheap, a foreign caller of gRPC, and ports of what is published nowhere else. Prints the
 * addresses of the services, as JSON by role. test/full/deploy/compose.sh uses both, and sets E2E_SERVICE_CALLERS.
 */

const [file] = process.argv.slice(2);
if (!file) throw new Error('Name the file to write.');

const environment = {
    NODE_ENV: 'test',
    ARGON2_MEMORY_KIB: '64',
    ARGON2_PASSES: '1',
    KEY_TIER_POLICY: 'any',
    SERVICE_CALLERS: process.env['E2E_SERVICE_CALLERS'],
};
const published = (address: string, port: number) => ({
    networks: ['inside', 'outside'],
    ports: [`${address}:${port}`],
});
const addresses = Object.fromEntries(SERVICE_ROLES.map((role, index) => [role, `127.0.0.1:${15_001 + index}`]));
const services = Object.entries(addresses).map(([role, address]) => [
    role,
    { ...published(address, 50_051), environment },
]);

writeFileSync(
    file,
    JSON.stringify({
        services: {
            postgres: published('127.0.0.1:15432', 5_432),
            ...Object.fromEntries(services),
            'gateway-1': { environment },
            'gateway-2': { environment },
        },
    }),
);
console.log(JSON.stringify(addresses));
