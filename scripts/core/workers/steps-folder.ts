import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CommandError } from '../lib/command-error.ts';
import { describeSelf, findState, type LockHolder } from '../lib/lock-holder.ts';
import { describeSystemError, isSystemError } from '../lib/system-error.ts';

const PREFIX = 'gamedata-steps-';
const HOLDER_FILE = 'holder.json';

/**
 * Makes the folder that workers write their steps to, and removes those that killed processes of this machine left.
 *
 * @throws CommandError if the system's folder for temporary files cannot be used
 */
export function makeStepsFolder(): string {
  const temporary = tmpdir();
  let folder: string | undefined;
  try {
    removeLeft(temporary);
    folder = mkdtempSync(path.join(temporary, PREFIX));
    writeFileSync(path.join(folder, HOLDER_FILE), JSON.stringify(describeSelf(folder)));
    return folder;
  } catch (error) {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    if (!isSystemError(error)) throw error;
    throw new CommandError(
      `cannot make a temporary folder: ${describeSystemError(error)}; set TMPDIR to a folder that can be written`,
    );
  }
}

function removeLeft(temporary: string): void {
  for (const name of readdirSync(temporary)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(temporary, name);
    const holder = readHolder(folder);
    if (holder && findState(holder) === 'dead') rmSync(folder, { recursive: true, force: true });
  }
}

function readHolder(folder: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, HOLDER_FILE), 'utf8'));
  } catch {
    return undefined;
  }
}
