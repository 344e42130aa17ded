import { type CallContext, ownContext } from '../../platform/context.ts';
import { AppError, invalid } from '../../platform/errors.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import { edgeBytes, type MerkleTree, rootOf, treeWith } from '../../platform/transparency/merkle-tree.ts';
import { checkpointText, signedNote } from '../../platform/transparency/signed-note.ts';
import type { EventsServiceDefinition } from '../../proto/gen/events/v1/events.ts';
import type { SignedCheckpoint, SigningServiceDefinition } from '../../proto/gen/signing/v1/signing.ts';
import { decodeDidKey } from '../../tokens/did-key.ts';
import { type OwnIssuer, refuseOthers, signedBy } from './own-issuer.ts';
import type { SigningStore } from './rows.ts';

/** Interval between two checkpoints of the audit, in milliseconds. */
const CHECKPOINT_EVERY_MS = 3_600_000;
/** Interval between two attempts at the first checkpoint, in milliseconds. So an audit can be tried on a new installation. */
const FIRST_CHECKPOINT_EVERY_MS = 60_000;

type CheckpointSigner = Pick<ServiceOf<typeof SigningServiceDefinition>, 'getCheckpoint' | 'signCheckpoint'>;

/** Signs the head of the audit's tree, of which it remembers the last one that it has signed. */
export function checkpointSigner(
    own: OwnIssuer,
    store: Pick<SigningStore, 'checkpoint' | 'keepCheckpoint'>,
): CheckpointSigner {
    return {
        async getCheckpoint(_request, context) {
            refuseOthers(context, 'checkpoints');
            return { checkpoint: await store.checkpoint(context) };
        },
        async signCheckpoint({ size, edge }, context) {
            refuseOthers(context, 'checkpoints');
            const tree = treeWith(size, edge);
            if (!tree || size < 1) throw invalid('edge must be that of a tree of this size.');
            const signed = { size, edge: edgeBytes(tree), note: await signedHead(own, tree, context) };
            if (await store.keepCheckpoint(signed, context)) return signed;
            const last = await store.checkpoint(context);
            if (last && last.size > size) return last;
            throw new AppError('unprocessable', 'Another tree of this size is signed already.');
        },
    };
}

/** The log is named after the DID that signs it, so a note says whose it is. */
async function signedHead(own: OwnIssuer, tree: MerkleTree, context: CallContext): Promise<string> {
    const did = await own.did(context);
    const publicKey = decodeDidKey(did);
    if (!publicKey) throw new Error('the own issuer is no did:key');
    const text = checkpointText({ origin: did, size: tree.size, root: rootOf(tree) });
    return own.withKey(
        did,
        (key) => signedNote(text, { name: did, publicKey }, (message) => signedBy(key, message)),
        context,
    );
}

interface CheckpointServices {
    events: Pick<ServiceOf<typeof EventsServiceDefinition>, 'getTreeHead' | 'addCheckpoint'>;
    signing: CheckpointSigner;
}

/**
 * Signs the head of the audit's tree, if something was appended since the last time. Fails if the role events does not find
 * the last signed tree in the log any more: the log has lost leaves or was restored. Whoever can write the tables of events
 * can also change that answer. `cred audit verify --checkpoint` does not rely on it.
 */
export async function makeCheckpoint({ events, signing }: CheckpointServices): Promise<void> {
    const { checkpoint: last } = await signing.getCheckpoint({}, ownContext());
    if (last) await addTo(events, last);
    const { size, edge } = await events.getTreeHead({}, ownContext());
    if (size === (last?.size ?? 0)) return;
    await addTo(events, await signing.signCheckpoint({ size, edge }, ownContext()));
}

/** Adds a checkpoint, which may be there already. */
async function addTo(events: CheckpointServices['events'], signed: SignedCheckpoint): Promise<void> {
    try {
        await events.addCheckpoint(signed, ownContext());
    } catch (cause) {
        if (!(cause instanceof AppError) || cause.kind !== 'invalid') throw cause;
        throw new Error(`the log of the audit does not contain the ${signed.size} leaves that were signed`, { cause });
    }
}

export function checkpointJob(services: CheckpointServices): Record<string, Job> {
    const run = () => makeCheckpoint(services);
    const runIfFirst = async () => {
        if (!(await services.signing.getCheckpoint({}, ownContext())).checkpoint) await run();
    };
    return {
        checkpoint: { everyMs: CHECKPOINT_EVERY_MS, run },
        first_checkpoint: { everyMs: FIRST_CHECKPOINT_EVERY_MS, run: runIfFirst },
    };
}
