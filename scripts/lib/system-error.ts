import { CommandError } from './command-error.ts';

/** Whether the operating system refused something (no space, no permission …). */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/**
 * Waits for work on files; what the operating system refuses is an expected failure.
 *
 * @param message what people are told, from what the system said
 * @throws CommandError
 */
export async function orCommandError<T>(work: Promise<T>, message: (reason: string) => string): Promise<T> {
  return await work.catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new CommandError(message(error.message));
  });
}
