import type { Command } from 'commander';
import { Port } from '../../../scripts/core/lib/port.ts';
import type { KeyFields } from '../accounts/accounts.ts';
import type { Clock } from './store-command.ts';

/** What keys may be bound to, in `gateway keys`. */
export interface KeyTerms {
  /** Adds the options of a new key. */
  addOptions(issue: Command): void;
  /** Reads these options. @throws CommandError if one is not valid */
  readFields(options: object, now: number): KeyFields;
  /** Adds the commands that change a key. */
  addCommands(keys: Command, now: Clock): void;
}

export const KEY_TERMS = new Port<KeyTerms>();
