import { type CallContext, ownContext } from '../../platform/context.ts';
import { invalid } from '../../platform/errors.ts';
import type { Job } from '../../platform/redis/jobs.ts';
import type { ServiceOf } from '../../platform/rpc/definition.ts';
import { HASH_BYTES, rootOf, treeWith } from '../../platform/transparency/merkle-tree.ts';
import { checkpointText, signedNote } from '../../platform/transparency/signed-note.ts';
import type { EventsServiceDefinition } from '../../proto/gen/events/v1/events.ts';
import type {
    SignCheckpointRequest,
    SignCheckpointResponse,
    SigningServiceDefinition,
} from '../../proto/gen/signing/v1/signing.ts';
import { decodeDidKey } from '../../tokens/did-key.ts';
import { type OwnIssuer, refuseOthers, signedBy } from './own-issuer.ts';

/** Interval between two checkpoints of the audit, in milliseconds. */
const CHECKPOINT_EVERY_MS = 3_600_000;

/** Signs the head of the audit's tree. The log is named after the DID that signs it, so a note says whose it is. */
export async function signCheckpoint(
    own: OwnIssuer,
    { size, root }: SignCheckpointRequest,
    context: CallContext,
): Promise<SignCheckpointResponse> {
    refuseOthers(context, 'checkpoints');
    if (!Number.isSafeInteger(size) || size < 1) throw invalid('size must be a number of leaves.');
    if (root.length !== HASH_BYTES) throw invalid(`root must have ${HASH_BYTES} bytes.`);
    const did = await own.did(context);
    const publicKey = decodeDidKey(did);
    if (!publicKey) throw new Error('the own issuer is no did:key');
    const text = checkpointText({ origin: did, size, root: Buffer.from(root) });
    const note = await own.withKey(
        did,
        (key) => signedNote(text, { name: did, publicKey }, (message) => signedBy(key, message)),
        context,
    );
    return { note };
}

interface CheckpointServices {
    events: Pick<ServiceOf<typeof EventsServiceDefinition>, 'getTreeHead' | 'addCheckpoint'>;
    signing: Pick<ServiceOf<typeof SigningServiceDefinition>, 'signCheckpoint'>;
}

/** Signs the head of the audit's tree, if something was appended since the last time. */
export async function makeCheckpoint({ events, signing }: CheckpointServices): Promise<void> {
    const { size, edge, checkpoint } = await events.getTreeHead({}, ownContext());
    if (size === checkpoint) return;
    const tree = treeWith(size, edge);
    if (!tree) throw new Error('the head of the tree is damaged');
    const { note } = await signing.signCheckpoint({ size, root: rootOf(tree) }, ownContext());
    await events.addCheckpoint({ size, edge, note }, ownContext());
}

export function checkpointJob(services: CheckpointServices): Record<string, Job> {
    return { checkpoint: { everyMs: CHECKPOINT_EVERY_MS, run: () => makeCheckpoint(services) } };
}
