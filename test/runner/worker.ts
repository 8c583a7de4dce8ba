import { pathToFileURL } from 'node:url';
import { endAll } from '../support/at-end.ts';

/** Runs the compiled test files that arrive as messages, one after the other, and reports how each ended. */
const queue: unknown[][] = [];
// As in uvu's command line: files add their tests to a queue, which `exec` runs.
Object.assign(globalThis, { UVU_DEFER: 1, UVU_QUEUE: queue, UVU_INDEX: 0 });
const { exec } = await import('uvu');

process.on('message', async (file: string) => {
  const before = { env: { ...process.env }, cwd: process.cwd() };
  queue.splice(0, queue.length, [null]);
  await import(pathToFileURL(file).href);
  await exec();
  const isFailed = Boolean(process.exitCode);
  process.exitCode = 0;
  for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
  Object.assign(process.env, before.env);
  process.chdir(before.cwd);
  await endAll();
  // Both streams are pipes: a callback says that all before it was written.
  await new Promise<void>((resolve) =>
    process.stderr.write('', () => process.stdout.write('', () => resolve())),
  );
  process.send?.(isFailed);
});
