/**
 * `interruptAt` loads this module into a command. It counts the command's steps that write files, and sends a signal at one of them:
 * where the command is interrupted does not depend on the speed of the machine.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Interruption } from './interrupt.ts';

const { signal, step, file } = JSON.parse(process.env.INTERRUPTION ?? '{}') as Interruption;
const { promises } = fs;
const { writeFile } = promises;
let steps = 0;

/** @returns whether the command is to be interrupted at this step */
function isReached(target: unknown): boolean {
  return String(target).includes(file) && ++steps === step;
}

/** Whether these are the flags with which `openRegularFile` opens a file. */
function isReading(flags: unknown): boolean {
  return typeof flags === 'number' && (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) === 0;
}

function interrupt(): void {
  fs.writeSync(2, 'interrupted\n');
  // SIGKILL goes to the whole process group, so that its workers end too.
  process.kill(signal === 'SIGKILL' ? 0 : process.pid, signal);
}

for (const name of ['mkdir', 'open', 'rename', 'rm', 'utimes'] as const) {
  const original = promises[name] as (...args: unknown[]) => Promise<unknown>;
  const interrupted = (...args: unknown[]) => {
    if (!isReading(args[1]) && isReached(args[0])) interrupt();
    return original(...args);
  };
  Object.assign(promises, { [name]: interrupted });
}

promises.writeFile = async (target, data, options) => {
  if (isReached(target)) interrupt();
  if (isReached(target)) {
    await writeFile(target, Buffer.from(data as Buffer | string).subarray(0, 10), options);
    interrupt();
  }
  await writeFile(target, data, options);
};

for (const name of ['mkdirSync', 'openSync', 'linkSync', 'renameSync', 'rmSync', 'writeFileSync'] as const) {
  const original = fs[name] as (...args: unknown[]) => unknown;
  const interrupted = (...args: unknown[]) => {
    if (isReached(args[0])) interrupt();
    return original(...args);
  };
  Object.assign(fs, { [name]: interrupted });
}

syncBuiltinESMExports();
