import { AppError } from '../errors.ts';

/** The refusal of a login, a session or an API key that would be right if its account were not suspended. */
export function accountSuspended(): AppError {
    return new AppError('forbidden', 'This account is suspended. Its operator can restore it.');
}
