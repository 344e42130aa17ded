/** The subject of the credentials of an erased account. They count for the platform only. */
export const ERASED_SUBJECT = 'did:invalid:erased';
