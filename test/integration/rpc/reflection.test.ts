import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { ask, serviceIn } from './plain-calls.fixture.ts';
import { startReplica, TOKEN } from './rpc.fixture.ts';

const start = async (t: TestContext) => (await startReplica(t)).address.target;

/** Fetches all that reflection has about its services: their files, and what these import. */
async function reflected(address: string, version: string) {
    const proto = `node_modules/@grpc/reflection/build/proto/grpc/reflection/${version}/reflection.proto`;
    const reflection = serviceIn(proto, `grpc.reflection.${version}.ServerReflection`);
    const reflect = (request: object) => ask(address, reflection, 'ServerReflectionInfo', request, TOKEN);
    const files = new Map<string, FileDescriptorProto>();
    async function add(request: object): Promise<void> {
        const { file_descriptor_response: answer, error_response: error } = await reflect(request);
        assert.ok(answer, `${JSON.stringify(request)}: ${JSON.stringify(error)}`);
        for (const bytes of answer.file_descriptor_proto) {
            const file = fromBinary(FileDescriptorProtoSchema, bytes);
            if (files.has(file.name)) continue;
            files.set(file.name, file);
            for (const imported of file.dependency) await add({ file_by_filename: imported });
        }
    }
    const { list_services_response: list } = await reflect({ list_services: '' });
    const names: string[] = list.service.map(({ name }: { name: string }) => name);
    for (const name of names) await add({ file_containing_symbol: name });
    return { names, files };
}

/** The files in an order in which each comes after those that it imports. */
function importedFirst(files: Map<string, FileDescriptorProto>): FileDescriptorProto[] {
    const ordered = new Set<FileDescriptorProto>();
    const visit = (name: string): void => {
        const file = files.get(name) ?? assert.fail(`${name} is imported, but not returned`);
        if (ordered.has(file)) return;
        file.dependency.forEach(visit);
        ordered.add(file);
    };
    for (const name of files.keys()) visit(name);
    return [...ordered];
}

for (const version of ['v1', 'v1alpha']) {
    it(`all that reflection ${version} returns fits together`, async (t) => {
        const { names, files } = await reflected(await start(t), version);
        const set = create(FileDescriptorSetSchema, { file: importedFirst(files) });
        const registry = createFileRegistry(set);
        for (const name of names) assert.ok(registry.getService(name), name);
    });
}

it('a tool that knows no protos can describe and call the service, as the gRPC guide says', async (t) => {
    const address = await start(t);
    const curl = async (path: string, ...options: string[]) => {
        const token = `authorization: Bearer ${TOKEN}`;
        const headers = ['--reflect-header', token, '--header', token];
        const args = ['curl', '--http2-prior-knowledge', '--protocol', 'grpc', ...headers, ...options];
        return (await promisify(execFile)('buf', [...args, `http://${address}${path}`])).stdout;
    };
    assert.match(await curl('', '--list-services'), /^did\.v1\.DidService\ngrpc\.health\.v1\.Health$/m);
    assert.deepEqual(JSON.parse(await curl('/grpc.health.v1.Health/Check')), { status: 'SERVING' });
    const resolved = await curl('/did.v1.DidService/Resolve', '--data', '{"did":"reflected"}');
    assert.equal(JSON.parse(resolved).did, 'reflected');
});

it('a process loads the libraries of reflection and health when it is first asked, and not at its start', async () => {
    const program = `
        import { createRequire } from 'node:module';
        import { addHealth } from './platform/rpc/health.ts';
        import { serve } from './platform/rpc/serve.ts';
        import { addReflection } from './platform/rpc/reflection.ts';
        const server = { addService() {} };
        addReflection(server, []);
        addHealth(server, { services: [], ready: async () => true });
        const loaded = Object.keys(createRequire(import.meta.url).cache);
        console.log(JSON.stringify(['@grpc/grpc-js', 'protobufjs'].map((name) => loaded.some((file) => file.includes(name)))));`;
    const { stdout } = await promisify(execFile)('node', ['--input-type=module', '--eval', program]);
    assert.deepEqual(JSON.parse(stdout), [true, false]);
});
