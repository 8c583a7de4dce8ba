/** The pool's message about a worker whose process ended without being told to. */
export const WORKER_ENDED = 'Worker exited unexpectedly';
