import { CommandError } from './command-error.ts';

/** Returns whether an error is from the operating system (no space, no permission …). */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Returns what was thrown as an error, which may have the code of an error of the operating system. */
export function errorOf(thrown: unknown): NodeJS.ErrnoException {
  return isErrorLike(thrown) ? thrown : new Error(String(thrown));
}

/** Errors of other processes and of some packages are not of this class. */
function isErrorLike(thrown: unknown): thrown is NodeJS.ErrnoException {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown;
}

/** What to do about errors whose code does not say it. */
const ADVICE: Record<string, string> = {
  EMFILE: 'this process may not open more files; raise the limit (ulimit -n, LimitNOFILE=)',
  ENFILE: 'the system may not open more files; raise its limit (fs.file-max)',
  ENOSPC: 'the disk is full; make room',
  EDQUOT: 'the disk quota is used up; make room',
};

/** Returns the message of an error of the operating system, with what to do where the error does not say it. */
export function describeSystemError(error: NodeJS.ErrnoException): string {
  const advice = ADVICE[error.code ?? ''];
  return advice === undefined ? error.message : `${error.message}; ${advice}`;
}

/** Returns a message if an error says that the system has no more room or files, also one that another process passed on; else undefined. */
export function describeLimit({ message }: Error): string | undefined {
  const [, code = ''] = /^(E[A-Z]+): /.exec(message) ?? [];
  const advice = ADVICE[code];
  return advice === undefined ? undefined : `${message}; ${advice}`;
}

/**
 * Waits for work on files, and turns errors of the operating system into expected failures.
 *
 * @param message makes the message from the system's reason
 * @throws CommandError
 */
export async function orCommandError<T>(work: Promise<T>, message: (reason: string) => string): Promise<T> {
  return await work.catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new CommandError(message(describeSystemError(error)));
  });
}
