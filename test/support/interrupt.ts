import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** When a command gets which signal. Where it is interrupted does not depend on the speed of the machine. */
export interface Interruption {
  /** SIGKILL goes to its whole process group. The command has to lead that group. */
  signal: 'SIGKILL' | 'SIGSTOP' | 'SIGTERM';
  /**
   * Which of its steps that write files is interrupted, from 1. Writing a file's content is two steps: before it, and halfway through.
   */
  step: number;
  /** Only steps on files whose path contains this text are counted. */
  file: string;
}

/** The environment in which a command is interrupted. The command then prints `interrupted` to stderr. */
export function interruptAt(interruption: Interruption): Record<string, string> {
  return { NODE_OPTIONS: `--import=${import.meta.url}`, INTERRUPTION: JSON.stringify(interruption) };
}

// What follows runs in the command: it counts the steps that write files, and sends the signal at one of them.
if (process.env.INTERRUPTION !== undefined) interruptWrites(JSON.parse(process.env.INTERRUPTION));

function interruptWrites({ signal, step, file }: Interruption): void {
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

  for (const name of [
    'mkdirSync',
    'openSync',
    'linkSync',
    'renameSync',
    'rmSync',
    'writeFileSync',
  ] as const) {
    const original = fs[name] as (...args: unknown[]) => unknown;
    const interrupted = (...args: unknown[]) => {
      if (isReached(args[0])) interrupt();
      return original(...args);
    };
    Object.assign(fs, { [name]: interrupted });
  }

  syncBuiltinESMExports();
}
