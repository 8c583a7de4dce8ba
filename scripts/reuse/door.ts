import type { Door } from '../commands/door.ts';
import { BUILD_MEMO, FOLDER_MARK, LAST_RUN } from '../game/reuse.ts';

/** What remembers earlier runs, so that an unchanged build is not compiled again. */
export const door: Door = {
  name: 'reuse',
  offer() {
    BUILD_MEMO.offer(async () => {
      const { FileMemo } = await import('./build-memo.ts');
      return (...args) => FileMemo.open(...args);
    });
    LAST_RUN.offer(async () => {
      const { MarkedRun } = await import('./last-run.ts');
      return (run, now) => new MarkedRun(run, now);
    });
    FOLDER_MARK.offer(async () => {
      const { markFolder } = await import('./folder-marks.ts');
      return (folder, leaveOut) => markFolder(folder, leaveOut)?.text;
    });
  },
};
