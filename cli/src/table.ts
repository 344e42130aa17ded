import type { Command } from './command.ts';
import { login, logout, register, whoami } from './commands/account.ts';
import { didNew, didResolve } from './commands/did.ts';
import { issue } from './commands/issue.ts';
import { verify } from './commands/verify.ts';

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [login, logout, whoami, register, didNew, didResolve, issue, verify];
