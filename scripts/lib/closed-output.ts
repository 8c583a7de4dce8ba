/** The exit status that shells report for a program that SIGPIPE ended: 128 + 13. */
const SIGPIPE_STATUS = 141;

/**
 * Ends a process without a message when the reader of its output has closed it, as `head` does. Node.js ignores SIGPIPE, which
 * would end other programs.
 *
 * @returns a function that reverts this
 */
export function exitOnClosedOutput({
  stdout,
  stderr,
  exit,
}: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): () => void {
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    exit(SIGPIPE_STATUS);
  };
  for (const stream of [stdout, stderr]) stream.on('error', onError);
  return () => {
    for (const stream of [stdout, stderr]) stream.off('error', onError);
  };
}
