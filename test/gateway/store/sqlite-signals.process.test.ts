import { cp, mkdir, mkdtemp, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Running, startProcess } from '../../support/command.ts';
import { BUILD } from '../../support/paths.ts';
import { seededRandom } from '../../support/random.ts';
import { CAN_MOUNT, SmallDisk } from '../../support/small-disk.ts';

/** Opens a store, and at each SIGUSR2 reads, writes and counts. Prints what failed; anything but a StoreError ends it. */
const PROGRAM = `
  import { openSqliteStore } from '${pathToFileURL(BUILD)}/gateway/store/sqlite-store.js';
  import { StoreError } from '${pathToFileURL(BUILD)}/gateway/store/store.js';
  const note = (error) => { if (!(error instanceof StoreError)) throw error; return error.message; };
  const store = await openSqliteStore(process.argv[1]).catch((error) => console.log('refused: ' + note(error)));
  if (store) {
    let [round, n] = [0, 0];
    process.on('SIGUSR2', async () => {
      const failures = new Set();
      for (let i = 0; i < 4; i++) {
        const write = new Map([['a:' + process.pid + '-' + n++, { value: 'x'.repeat(3000) }]]);
        for (const work of [
          () => store.commit({ read: new Map(), write }),
          () => store.list('a:', { after: '', limit: 1000 }),
          () => store.countRequest('ada', { minute: 1e6, day: 1e6 }),
          () => store.ping(),
        ]) await work().catch((error) => failures.add(note(error)));
      }
      console.log('round ' + ++round + ': ' + [...failures].join(' | '));
    });
    const timer = setInterval(() => {}, 1000);
    process.on('SIGTERM', async () => { clearInterval(timer); await store.close(); });
    console.log('open');
  }`;

/** Lets other processes work after a short file was found, and before it is made longer. */
const SLOW = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { fstatSync } = fs;
  fs.fstatSync = (descriptor) => {
    const found = fstatSync(descriptor);
    if (found.size > 0 && found.size < 32_768) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    return found;
  };
  syncBuiltinESMExports();`;

const WAYS: Record<string, (file: string, random: () => number) => Promise<void>> = {
  emptied: (file) => truncate(file, 0),
  'cut short': async (file, random) => truncate(file, Math.floor(random() * (await readFile(file)).length)),
  zeroed: async (file) => writeFile(file, Buffer.alloc((await readFile(file)).length), { flag: 'r+' }),
  'full of noise': async (file, random) => {
    const bytes = Buffer.from(Array.from(await readFile(file), () => Math.floor(random() * 256)));
    await writeFile(file, bytes, { flag: 'r+' });
  },
  removed: (file) => unlink(file),
};

const test = suite<{ folder: string }>('no process on a store in a folder ends with a signal');

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'signals-'));
});
test.after.each(({ folder }) => rm(folder, { recursive: true }));

for (const name of ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm', 'counters.sqlite-shm'])
  test(`when ${name} is emptied, cut short, zeroed, full of noise or removed, before and beside it`, async ({
    folder,
  }) => {
    const random = seededRandom();
    for (const [way, damage] of Object.entries(WAYS)) {
      const store = join(folder, way);
      const copy = join(folder, `${way} before`);
      const running = [open(store), open(store)];
      await work(running, 1);
      // What a killed process leaves, with everything in the logs.
      await cp(store, copy, { recursive: true });
      await damage(join(store, name), random);
      const said = await work(running, 2);
      // Shared memory is made anew from the log.
      if (name.endsWith('-shm') && way !== 'removed') assert.equal(said, ['round 2: ', 'round 2: '], way);
      await finish(running, way);
      await damage(join(copy, name), random);
      const next = open(copy);
      const [opened] = await next.printed(/^open|^refused: .*restore a backup/m);
      if (opened === 'open') {
        await work([next], 1);
        await finish([next], `${way} before`);
      } else assert.is((await next.ended).signal, null);
    }
  });

test('when shared memory is emptied, and one process is slow to make it anew', async ({ folder }) => {
  const running = [open(folder), open(folder, undefined, SLOW)];
  try {
    await work(running, 1);
    for (let round = 2; round < 7; round++) {
      await truncate(join(folder, 'store.sqlite-shm'), 0);
      assert.equal(await work(running, round), [`round ${round}: `, `round ${round}: `]);
    }
    await finish(running, 'slow');
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
  }
});

if (CAN_MOUNT)
  test('when the disk is full beside another open process, eight times', async ({ folder }) => {
    for (let run = 0; run < 8; run++) {
      const place = join(folder, String(run));
      await mkdir(place);
      const disk = await SmallDisk.open(place, 3 * 1024 * 1024);
      const store = join(place, 'store');
      const running = [open(store, disk), open(store, disk)];
      await work(running, 1);
      disk.fill(run * 5000);
      const [line] = await work(running, 2);
      assert.match(line ?? '', 'check whether its disk is full or failing');
      disk.free();
      assert.equal(await work(running, 3), ['round 3: ', 'round 3: ']);
      await finish(running, String(run));
      await disk.close();
    }
  });

test.run();

function open(folder: string, disk?: SmallDisk, before = ''): Running {
  const first = `data:text/javascript,${encodeURIComponent(before)}`;
  const options = ['--import', first, '--input-type=module', '--eval', PROGRAM];
  const command = [process.execPath, ...options, folder] as const;
  const [program, ...args] = disk ? disk.inside(command) : command;
  return startProcess(program, args, { cwd: BUILD });
}

/** Lets processes work. @returns what each printed */
async function work(running: readonly Running[], round: number): Promise<string[]> {
  for (const { printed } of running) await printed(/^open$/m);
  for (const { child } of running) child.kill('SIGUSR2');
  return await Promise.all(
    running.map(async ({ printed, ended }) => {
      const found = await printed(new RegExp(`^round ${round}: .*$`, 'm')).catch(() => undefined);
      return found?.[0] ?? JSON.stringify(await ended);
    }),
  );
}

async function finish(running: readonly Running[], what: string): Promise<void> {
  for (const { child, ended } of running) {
    child.kill('SIGTERM');
    const { code, signal, stderr } = await ended;
    assert.equal([code, signal], [0, null], `${what}: ${stderr}`);
  }
}
