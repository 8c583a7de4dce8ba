import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Doors, openDoors, Port, Ports } from '../../../scripts/lib/port.ts';

const test = suite<{ folder: string }>('port');

test.before.each(async (context) => {
  context.folder = await mkdtemp(path.join(tmpdir(), 'port-'));
});

test.after.each(async ({ folder }) => {
  await rm(folder, { recursive: true });
});

test('a port that nothing was offered to loads nothing', async () => {
  const port = new Port<string>();
  assert.is(port.isOffered, false);
  assert.is(await port.load(), undefined);
});

test('what was offered is made at first use, once', async () => {
  const port = new Port<number>();
  let made = 0;
  port.offer(async () => ++made);
  assert.is(port.isOffered, true);
  assert.is(made, 0);
  assert.equal(await Promise.all([port.load(), port.load()]), [1, 1]);
  port.close();
  assert.is(await port.load(), undefined);
});

test('what is loaded is there at once', async () => {
  const port = new Port<string>();
  assert.is(port.get(), undefined);
  port.offer(async () => 'loaded');
  assert.instance(port.get(), Promise);
  await port.get();
  assert.is(port.get(), 'loaded');
});

test('several parts offer to one port, and a second offer by the same name changes nothing', async () => {
  const ports = new Ports<string>();
  assert.equal(await ports.load(), []);
  for (const [name, what] of [
    ['one', 'a'],
    ['two', 'b'],
    ['one', 'c'],
  ] as const)
    ports.offer(name, async () => what);
  assert.equal(await ports.load(), ['a', 'b']);
  ports.close('one');
  assert.equal(await ports.load(), ['b']);
});

test('parts whose folder was deleted are left out, and a part that lacks a file is an error', async ({
  folder,
}) => {
  const doors: Doors<{ name: string }> = Object.fromEntries(
    ['whole', 'deleted', 'broken'].map((name) => [
      name,
      () => import(pathToFileURL(path.join(folder, `parts/${name}/door.js`)).href),
    ]),
  );
  for (const name of ['whole', 'broken']) await mkdir(path.join(folder, 'parts', name), { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(folder, 'parts/whole/door.js'), 'export const door = { name: "whole" };');
  await writeFile(
    path.join(folder, 'parts/broken/door.js'),
    'import "./missing.js"; export const door = {};',
  );
  assert.equal(await openDoors(doors, ['whole', 'deleted']), [{ name: 'whole' }]);
  try {
    await openDoors(doors);
    assert.unreachable();
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, 'ERR_MODULE_NOT_FOUND');
  }
});

test.run();
