import type { Interceptor } from 'slonik';

/**
 * Compares every row with the schema of its statement, and throws if they differ. Only tests do this: the schemas then
 * say what the statements return, so nothing has to be compared in production.
 */
export const ROW_CHECK: Interceptor = {
    name: 'row check',
    transformRow({ resultParser }, { sql }, row) {
        const result = resultParser?.['~standard'].validate(row);
        if (result && 'issues' in result && result.issues) {
            const faults = result.issues.map(({ message, path }) => `${path?.join('.') ?? ''}: ${message}`);
            throw new Error(`A row differs from its schema. ${faults.join('; ')}. Statement: ${sql}`);
        }
        return row;
    },
};
