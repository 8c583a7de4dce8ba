import { CommandError } from './command-error.ts';

/** Returns whether an error is from the operating system (no space, no permission …). */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
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
    throw new CommandError(message(error.message));
  });
}
