import { command } from '../command.ts';
import { fieldsReport } from '../report.ts';
import { SECRET_FILE, trusted } from '../trusted.ts';

export const subjectsErase = command({
    name: 'subjects erase',
    summary: 'Erase the subject of credentials, as a trusted caller',
    details:
        'Removes the DID of a person from all credentials and presentations that the service stores. A revoked credential stays revoked. Needs the internal secret of the service, in CRED_INTERNAL_SECRET or in the file of --secret-file.',
    positionals: { did: { summary: 'DID of the person' } },
    options: { 'secret-file': SECRET_FILE },
    examples: [{ line: 'cred subjects erase did:web:ada.example --secret-file .data/internal-secret' }],
    async run({ args: { did }, options: { 'secret-file': file }, world, url }) {
        const { internal } = trusted(world, url, file);
        // Each call erases for seconds, and says whether there is more.
        while (!(await internal.subjects.erase({ subject_did: did })).done);
        return fieldsReport({ subject_did: did, done: true }, { erased: did });
    },
});
