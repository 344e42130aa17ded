import {
    Agent,
    type BaseRecord,
    type BaseRecordConstructor,
    ConsoleLogger,
    DependencyManager,
    DidsModule,
    InjectionSymbols,
    JwkDidRegistrar,
    JwkDidResolver,
    KeyDidRegistrar,
    KeyDidResolver,
    Kms,
    LogLevel,
    RecordNotFoundError,
    type SdJwtVcRecord,
    type StorageService,
    WebDidResolver,
} from '@credo-ts/core';
import { agentDependencies, NodeInMemoryKeyManagementStorage, NodeKeyManagementService } from '@credo-ts/node';
import { type OpenId4VcCredentialHolderBinding, OpenId4VcModule } from '@credo-ts/openid4vc';

/** How the wallet proves that it has a key: by the key itself, or by a DID of it. */
export type Binding = 'jwk' | 'did:key' | 'did:jwk';

export interface Taking {
    txCode?: string;
    binding?: Binding;
    /** The curve of its key. Default: P-256. */
    curve?: 'P-256' | 'Ed25519';
    /** Number of keys, each of which gets a credential. Default: 1. */
    keys?: number;
}

/** A credential that the wallet has verified, stored, and told the issuer about. */
export interface Taken {
    /** The SD-JWT as the issuer sent it. */
    compact: string;
    /** The claims, with the disclosed ones in their places. */
    claims: Record<string, unknown>;
}

type AnyRecord = BaseRecord<never, never, never>;

/** What the wallet stores. Credo leaves this to the program that uses it. */
class Memory implements StorageService<AnyRecord> {
    readonly supportsCursorPagination = false;
    readonly #records = new Map<string, AnyRecord>();

    async save(_context: unknown, record: AnyRecord): Promise<void> {
        this.#records.set(record.id, record);
    }

    async update(_context: unknown, record: AnyRecord): Promise<void> {
        this.#records.set(record.id, record);
    }

    async delete(_context: unknown, record: AnyRecord): Promise<void> {
        this.#records.delete(record.id);
    }

    async deleteById(_context: unknown, _type: unknown, id: string): Promise<void> {
        this.#records.delete(id);
    }

    async getById(_context: unknown, type: BaseRecordConstructor<AnyRecord>, id: string): Promise<AnyRecord> {
        const record = this.#records.get(id);
        if (!record) throw new RecordNotFoundError(`no record ${id}`, { recordType: type.type });
        return record;
    }

    async getAll(_context: unknown, type: BaseRecordConstructor<AnyRecord>): Promise<AnyRecord[]> {
        return [...this.#records.values()].filter((record) => record.type === type.type);
    }

    async findByQuery(context: unknown, type: BaseRecordConstructor<AnyRecord>, query: object): Promise<AnyRecord[]> {
        return (await this.getAll(context, type)).filter((record) => fits(record.getTags(), query));
    }
}

/** True if the tags of a record fit a query: each tag, or with `$or` one of several queries. A list must be contained. */
function fits(tags: Readonly<Record<string, unknown>>, query: object): boolean {
    return Object.entries(query).every(([name, wanted]) => {
        if (name === '$or') return (wanted as object[]).some((one) => fits(tags, one));
        if (wanted === undefined) return true;
        if (!Array.isArray(wanted)) return tags[name] === wanted;
        const tag = tags[name];
        return Array.isArray(tag) && wanted.every((value) => tag.includes(value));
    });
}

async function holderAgent() {
    const manager = new DependencyManager();
    manager.registerInstance(InjectionSymbols.StorageService, new Memory());
    const backend = new NodeKeyManagementService(new NodeInMemoryKeyManagementStorage());
    const modules = {
        kms: new Kms.KeyManagementModule({ backends: [backend], defaultBackend: 'node' }),
        dids: new DidsModule({
            resolvers: [new WebDidResolver(), new KeyDidResolver(), new JwkDidResolver()],
            registrars: [new KeyDidRegistrar(), new JwkDidRegistrar()],
        }),
        openid4vc: new OpenId4VcModule({}),
    };
    const config = { logger: new ConsoleLogger(LogLevel.off), autoUpdateStorageOnStartup: true };
    const agent = new Agent({ config, dependencies: agentDependencies, modules }, manager);
    await agent.initialize();
    return agent;
}

/** A holder of Credo, which takes what an offer has as a user of a wallet would. */
export async function credoWallet() {
    const agent = await holderAgent();

    async function bound({
        binding = 'jwk',
        curve = 'P-256',
        keys = 1,
    }: Taking): Promise<OpenId4VcCredentialHolderBinding> {
        const type = curve === 'P-256' ? { kty: 'EC', crv: curve } : { kty: 'OKP', crv: curve };
        const made = await Promise.all(
            Array.from({ length: keys }, () => agent.kms.createKey({ type: type as Kms.KmsCreateKeyType })),
        );
        if (binding === 'jwk') {
            return {
                method: 'jwk',
                keys: made.map(({ publicJwk }) => Kms.PublicJwk.fromPublicJwk(publicJwk as never)),
            };
        }
        const didUrls = made.map(async ({ keyId }) => {
            const { didState } = await agent.dids.create({ method: binding.slice('did:'.length), options: { keyId } });
            return didState.didDocument?.verificationMethod?.[0]?.id ?? '';
        });
        return { method: 'did', didUrls: await Promise.all(didUrls) };
    }

    return {
        /** Takes all credentials of an offer. Rejects if the wallet does not accept what the issuer says or sends. */
        async take(link: string, taking: Taking = {}): Promise<Taken[]> {
            const { holder } = agent.openid4vc;
            const offer = await holder.resolveCredentialOffer(link);
            const token = await holder.requestToken({
                resolvedCredentialOffer: offer,
                ...(taking.txCode !== undefined && { txCode: taking.txCode }),
            });
            const { accessToken, dpop } = token;
            const { credentials } = await holder.requestCredentials({
                resolvedCredentialOffer: offer,
                ...token,
                credentialBindingResolver: () => bound(taking),
                verifyCredentialStatus: true,
            });
            const taken: Taken[] = [];
            for (const { record, notificationId } of credentials) {
                const stored = record as SdJwtVcRecord;
                for (const { compactSdJwtVc } of stored.credentialInstances) {
                    const { prettyClaims } = agent.sdJwtVc.fromCompact(compactSdJwtVc);
                    taken.push({ compact: compactSdJwtVc, claims: prettyClaims });
                }
                if (notificationId === undefined) continue;
                await holder.sendNotification({
                    metadata: offer.metadata,
                    notificationId,
                    accessToken,
                    notificationEvent: 'credential_accepted',
                    ...(dpop && { dpop }),
                });
            }
            return taken;
        },
        /** Rejects if the wallet does not trust the credential, or its status says that it is revoked. */
        async verify(compact: string): Promise<void> {
            const result = await agent.sdJwtVc.verify({ compactSdJwtVc: compact });
            if (!result.isValid) throw result.error;
        },
        close: () => agent.shutdown(),
    };
}
