import { getContainerRuntimeClient, ImageName } from 'testcontainers';

/** The official image of a database version that the service supports. */
export interface DatabaseImage {
    kind: 'postgres' | 'redis';
    image: string;
}

/** PostgreSQL 15 to 18, Redis 6.2 to 8, and Valkey 8. */
export const IMAGES: readonly DatabaseImage[] = [
    ...['15', '16', '17', '18'].map(
        (version) => ({ kind: 'postgres', image: `postgres:${version}-bookworm` }) as const,
    ),
    ...['6.2', '7', '8'].map((version) => ({ kind: 'redis', image: `redis:${version}-bookworm` }) as const),
    { kind: 'redis', image: 'valkey/valkey:8-bookworm' },
];

export type Availability = DatabaseImage & {
    /** Why the image could not be pulled. Undefined if it is available. */
    missing: string | undefined;
};

/** Pulls the images that the container engine does not have yet. */
export async function obtain(images: readonly DatabaseImage[]): Promise<Availability[]> {
    const { image: client } = await getContainerRuntimeClient();
    const found: Availability[] = [];
    for (const each of images) {
        const name = ImageName.fromString(each.image);
        let missing: string | undefined;
        try {
            if (!(await client.exists(name))) await client.pull(name);
        } catch (error) {
            missing = (error as Error).message; // the engine throws an Error
        }
        found.push({ ...each, missing });
    }
    return found;
}

/** The images of one run of the tests. If one is undefined, the run starts that database itself, as `npm test` does. */
export interface Pair {
    postgres: string | undefined;
    redis: string | undefined;
}

/** The fewest runs that use each image at least once. */
export function pairUp(images: readonly DatabaseImage[]): Pair[] {
    const named = (kind: DatabaseImage['kind']): string[] =>
        images.filter((each) => each.kind === kind).map(({ image }) => image);
    const [postgres, redis] = [named('postgres'), named('redis')];
    return Array.from({ length: Math.max(postgres.length, redis.length) }, (_, index) => ({
        postgres: postgres[index % postgres.length],
        redis: redis[index % redis.length],
    }));
}
