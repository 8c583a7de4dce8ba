import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcess } from '../support/command.ts';
import { gameFiles, inFolder, makeFolder, writeFiles } from '../support/fixtures.ts';
import { BUILD } from '../support/paths.ts';
import { copyCheckout } from './checkout.ts';

const packed = suite('the package');

interface Packed {
  tarball: string;
  /** The paths in it. */
  files: string[];
}

/** It lasts until the code is compiled again. So another version of Node.js installs the same package, as users do. */
const PACKED = path.join(BUILD, 'packed');
const LIST = path.join(PACKED, 'packed.json');

async function packCheckout(): Promise<Packed> {
  if (existsSync(LIST)) return JSON.parse(await readFile(LIST, 'utf8')) as Packed;
  await mkdir(PACKED, { recursive: true });
  const args = ['pack', '--json', '--pack-destination', PACKED];
  const { code, stdout, stderr } = await startProcess('npm', args, { cwd: await copyCheckout() }).ended;
  assert.is(code, 0, stdout + stderr);
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[] },
  ];
  const packed = { tarball: path.join(PACKED, filename), files: files.map((file) => file.path) };
  await writeFile(LIST, JSON.stringify(packed));
  return packed;
}

/** Installs a tarball into a folder, and runs the installed commands. */
async function useInstalled(folder: string, tarball: string): Promise<void> {
  await writeFiles(folder, { 'package.json': { private: true }, ...inFolder('data/game', gameFiles()) });
  const install = startProcess('npm', ['install', tarball, '--no-audit', '--no-fund'], { cwd: folder });
  const { code, stderr } = await install.ended;
  assert.is(code, 0, stderr);
  const bin = path.join(folder, 'node_modules', '.bin');
  const run = (name: string, ...args: string[]) => startProcess(path.join(bin, name), args, { cwd: folder });

  const built = await run('gamedata', 'build').ended;
  assert.is(built.code, 0, built.stderr);
  const manifest = path.join(folder, 'node_modules', 'game-data-read-api', 'package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  assert.is((await run('gateway', '--version').ended).stdout, `${version}\n`);
  const issued = await run('gateway', 'keys', 'issue', 'a@example.org', '--json').ended;
  const { key } = JSON.parse(issued.stdout) as { key: string };

  const gateway = run('gateway', 'serve', '--port', '0');
  try {
    const [, address] = await gateway.printed(/"address":"([^"]+)"/);
    assert.match(await (await fetch(`${address}/terms`)).text(), /Terms of use/);
    assert.match(await (await fetch(`${address}/docs`)).text(), /Queries/);
    const roster = await fetch(`${address}/api/game/characters`, { headers: { 'X-API-Key': key } });
    assert.match(await roster.text(), '"characters":[{"id":"ann","name":"Ann"}]');
  } finally {
    gateway.child.kill('SIGTERM');
  }
  assert.is((await gateway.ended).code, 0);
}

packed('holds only what runs, and works in any folder, whatever its name', async () => {
  const { tarball, files } = await packCheckout();
  const strays = files.filter(
    (file) =>
      !/^(build\/(scripts|gateway)\/.*\.js|build\/gateway\/site\/public\/.*\.(atom|css|json|svg|txt|br|gz)|build\/gateway\/site\/(assets|guides)\.json|build\/gateway\/store\/schema\.sql|package\.json|README\.md|LICENSE)$/.test(
        file,
      ),
  );
  assert.equal(strays, []);
  await useInstalled(await makeFolder('an ünusual folder'), tarball);
});

packed.run();
