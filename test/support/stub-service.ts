import type { ServiceDefinition, ServiceOf } from '../../platform/rpc/definition.ts';

/** A service with these methods. A call of any other method fails, and the error names the method. */
export function stubService<D extends ServiceDefinition>(
    { fullName, methods }: D,
    own: Partial<ServiceOf<D>>,
): ServiceOf<D> {
    const others = Object.keys(methods).map((name) => [name, () => fail(`${fullName}.${name}`)] as const);
    return { ...Object.fromEntries(others), ...own } as ServiceOf<D>; // together they have every method of D
}

async function fail(method: string): Promise<never> {
    throw new Error(`The test calls ${method}, but its stub service has no such method.`);
}
