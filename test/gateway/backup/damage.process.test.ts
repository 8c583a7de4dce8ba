import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { issueKey } from '../../../gateway/store/accounts/accounts.ts';
import { openSqliteStore } from '../../../gateway/store/sqlite-store.ts';
import { runCommand } from '../../support/command.ts';
import { seededRandom } from '../../support/random.ts';

const PAGE = 4096;
const KEYS = 150;

const test = suite('a damaged store in a folder');

const DAMAGES: Record<string, (bytes: Buffer, random: (max: number) => number) => Buffer> = {
  'cut short': (bytes, random) => bytes.subarray(0, random(bytes.length)),
  'a page of zeros': (bytes, random) => bytes.fill(0, ...pageOf(bytes, random)),
  'a page of noise': (bytes, random) => {
    for (let [at, end] = pageOf(bytes, random); at < end; at++) bytes[at] = random(256);
    return bytes;
  },
  'a damaged page header': (bytes, random) => {
    const [start] = pageOf(bytes, random);
    for (let at = start; at < start + 48; at++) bytes[at] = random(256);
    return bytes;
  },
  'flipped bits': (bytes, random) => {
    for (let n = 0; n < 30; n++) {
      const at = random(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    }
    return bytes;
  },
};

test('ends no command with a signal: the command works, names the damage, or says how to restore', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'damage-'));
  try {
    const whole = join(folder, 'whole');
    const store = await openSqliteStore(whole);
    for (let n = 0; n < KEYS; n++)
      await issueKey(store, { email: `u${n}@example.org`, prefix: `gdr_${n}`, hash: `hash-${n}`, now: n });
    await store.close();
    const random = seededRandom();
    for (const [name, damage] of Object.entries({ ...DAMAGES, ...twice(DAMAGES) })) {
      const place = join(folder, name);
      await mkdir(place);
      await copyFile(join(whole, 'identity'), join(place, 'identity'));
      await writeFile(
        join(place, 'store.sqlite'),
        damage(await readFile(join(whole, 'store.sqlite')), (max) => Math.floor(random() * max)),
      );
      const { code, signal, stdout, stderr } = await runCommand('gateway', [
        'keys',
        'list',
        '--json',
        '--store',
        place,
      ]);
      assert.is(signal, null, `${name}: ${stderr}`);
      if (code === 0) {
        const { length } = JSON.parse(stdout) as unknown[];
        assert.ok(
          length === KEYS || /is damaged; gateway store verify/.test(stderr),
          `${name}: ${length} keys, ${stderr}`,
        );
      } else {
        assert.match(
          stderr,
          /^gateway: ((cannot open|store\.sqlite of) the store in .* restore a backup with gateway store restore <file>|.* is damaged; gateway store verify lists it)/m,
          `${name}: ${stderr}`,
        );
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();

/** The start and end of a page, except the first ones: SQLITE checks those itself when it opens a file. */
function pageOf(bytes: Buffer, random: (max: number) => number): [start: number, end: number] {
  const start = random(bytes.length / PAGE) * PAGE;
  return [start, start + PAGE];
}

function twice<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [`${name}, again`, value]));
}
