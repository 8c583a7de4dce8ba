import * as assert from 'uvu/assert';
import { addJob, claimJobs, countDueJobs } from '../../../../gateway/people/jobs/queue.ts';
import { table, transact } from '../../../../gateway/store/records.ts';
import { onEachStore } from '../../store/on-each-store.ts';

const JOBS = table<{ name: string }>('job');
const NOW = Date.parse('2026-06-01T12:00:00Z');

onEachStore(
  'a queue',
  () => NOW,
  (test) => {
    test('counts the jobs that are due and not held, up to a limit', async ({ store }) => {
      const count = (limit: number) => countDueJobs(store, JOBS, NOW, limit);
      assert.equal(await count(10), { count: 0, oldest: undefined });
      await transact(store, async (transaction) => {
        for (const seconds of [-3, -2, -1, 1]) {
          await addJob(transaction, JOBS, `j${seconds}`, NOW + seconds * 1000, { name: 'any' });
        }
      });
      assert.equal(await count(10), { count: 3, oldest: NOW - 3000 });
      assert.equal(await count(2), { count: 2, oldest: NOW - 3000 });
      await claimJobs(store, JOBS, { now: NOW, lease: 1000, limit: 1 });
      assert.equal(await count(10), { count: 2, oldest: NOW - 2000 });
    });
  },
);
