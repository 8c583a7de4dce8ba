import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProcess } from './command.ts';
import { gameFiles, inFolder, writeFiles } from './fixtures.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const packed = suite('the package');

packed('works where it is packed and installed elsewhere, with what runs and no more', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'package-'));
  try {
    const pack = await startProcess('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT })
      .ended;
    assert.is(pack.code, 0, pack.stderr);
    const [{ filename, files }] = JSON.parse(pack.stdout.slice(pack.stdout.indexOf('[\n'))) as [
      { filename: string; files: { path: string }[] },
    ];
    const strays = files
      .map((file) => file.path)
      .filter(
        (file) => !/^(build\/(scripts|gateway)\/.*\.(js|html)|package\.json|README\.md|LICENSE)$/.test(file),
      );
    assert.equal(strays, []);

    assert.is((await startProcess('tar', ['-xzf', filename], { cwd: folder }).ended).code, 0);
    const installed = path.join(folder, 'package');
    await symlink(path.join(ROOT, 'node_modules'), path.join(installed, 'node_modules'));
    const { bin, version } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
      version: string;
    };

    await writeFiles(folder, inFolder('data/game', gameFiles()));
    const run = (name: string, ...args: string[]) =>
      startProcess(process.execPath, [path.join(installed, bin[name] ?? ''), ...args], { cwd: folder });
    const built = await run('gamedata', 'build').ended;
    assert.is(built.code, 0, built.stderr);
    assert.is((await run('gateway', '--version').ended).stdout, `${version}\n`);
    const gateway = run('gateway', 'serve', '--port', '0');
    const [, address] = await gateway.printed(/"address":"([^"]+)"/);
    assert.match(await (await fetch(`${address}/terms`)).text(), /Terms of use/);
    gateway.child.kill('SIGTERM');
    assert.is((await gateway.ended).code, 0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

packed.run();
