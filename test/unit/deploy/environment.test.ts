import assert from 'node:assert/strict';
import { it } from 'node:test';
import { roleEnvironment } from '../../../deploy/local/environment.ts';
import { SERVICE_ROLES } from '../../../proto/services.ts';

it('of the processes of a cluster, only signing gets the key-encryption key and the credentials of its provider', () => {
    const secret = {
        KEK: 'k',
        KEK_FILE: '/data/kek',
        KEK_PROVIDER: 'vault:transit/kek',
        VAULT_ADDR: 'https://vault.example',
        VAULT_TOKEN_FILE: '/token',
        AWS_SECRET_ACCESS_KEY: 's',
    };
    const other = { PATH: '/bin', KEY_BRAND: 'cred', SERVICE_TOKEN_FILE: '/data/service-token' };
    assert.deepEqual(roleEnvironment('signing', { ...secret, ...other }), { ...secret, ...other });
    for (const role of ['gateway', ...SERVICE_ROLES.filter((name) => name !== 'signing')])
        assert.deepEqual(roleEnvironment(role, { ...secret, ...other }), other);
});
