import type { Command } from './command.ts';
import { accountDelete, login, logout, register, whoami } from './commands/account.ts';
import { auditExport, auditVerify } from './commands/audit.ts';
import { batchIssue, batchRevoke, batchVerify } from './commands/batch.ts';
import { completion } from './commands/completion.ts';
import { configurationsCreate, configurationsDelete, configurationsList } from './commands/configurations.ts';
import { didNew, didResolve } from './commands/did.ts';
import { events } from './commands/events.ts';
import { accountExport } from './commands/export.ts';
import { issue } from './commands/issue.ts';
import {
    issuersArchive,
    issuersCompromise,
    issuersCreate,
    issuersList,
    issuersRotate,
    issuersShow,
} from './commands/issuers.ts';
import { keysCreate, keysList, keysRevoke, keysRotate } from './commands/keys.ts';
import { webhooksListen } from './commands/listen.ts';
import { offer, offersDelete, offersList, offersShow } from './commands/offers.ts';
import { present, verifyPresentation } from './commands/present.ts';
import { revoke, status } from './commands/revoke.ts';
import { subjectsErase } from './commands/subjects.ts';
import { usersRestore, usersSuspend } from './commands/users.ts';
import { verify } from './commands/verify.ts';
import { walletAdd, walletCreate, walletOpen, walletRemove } from './commands/wallet.ts';
import {
    webhooksActivate,
    webhooksCreate,
    webhooksDelete,
    webhooksDeliveries,
    webhooksList,
    webhooksPause,
    webhooksReplay,
    webhooksRotateSecret,
    webhooksTest,
} from './commands/webhooks.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
    login,
    logout,
    whoami,
    accountExport,
    register,
    accountDelete,
    usersSuspend,
    usersRestore,
    subjectsErase,
    keysCreate,
    keysList,
    keysRotate,
    keysRevoke,
    didNew,
    didResolve,
    issuersCreate,
    issuersList,
    issuersShow,
    issuersRotate,
    issuersCompromise,
    issuersArchive,
    issue,
    configurationsCreate,
    configurationsList,
    configurationsDelete,
    offer,
    offersList,
    offersShow,
    offersDelete,
    verify,
    revoke,
    status,
    batchIssue,
    batchVerify,
    batchRevoke,
    present,
    verifyPresentation,
    walletCreate,
    walletOpen,
    walletAdd,
    walletRemove,
    events,
    webhooksCreate,
    webhooksList,
    webhooksDelete,
    webhooksPause,
    webhooksActivate,
    webhooksRotateSecret,
    webhooksTest,
    webhooksDeliveries,
    webhooksReplay,
    webhooksListen,
    auditExport,
    auditVerify,
    completion(() => COMMANDS),
];
