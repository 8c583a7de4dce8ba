import cluster from 'node:cluster';
import { namedFiles } from '../data/follow-dist.ts';
import type { RunningPart, ServedPart } from '../commands/door.ts';
import { scrub } from './scrub.ts';
import { SteadyClock } from './steady-clock.ts';

/** What this part adds to `gateway serve`. */
export const SERVED_WATCH: ServedPart = {
  makeClock: (reports) => new SteadyClock(reports).now,
  prepare: () => (core) => {
    // The workers of one machine have the same files.
    if (!(cluster.isPrimary || cluster.worker?.id === 1)) return {};
    const end = new AbortController();
    const { follower } = core;
    const watch: RunningPart = {
      start() {
        const listFiles = () => [...namedFiles(follower.catalog).values()];
        void scrub({ files: follower.files, listFiles, signal: end.signal });
      },
      async close() {
        end.abort();
      },
    };
    return watch;
  },
};
