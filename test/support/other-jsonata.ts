import { appendFile, cp, mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { type Ended, startProcess } from './command.ts';
import { BUILD, ROOT } from './paths.ts';

const CHANGED = 'jsonata';

/** Installs `gamedata` into a folder, with a jsonata whose source differs but does the same. */
export async function installOtherJsonata(folder: string): Promise<(...args: string[]) => Promise<Ended>> {
  const [scripts, modules] = [path.join(folder, 'build/scripts'), path.join(folder, 'node_modules')];
  await mkdir(modules);
  await cp(path.join(BUILD, 'scripts'), scripts, { recursive: true });
  await cp(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
  for (const name of await readdir(path.join(ROOT, 'node_modules'))) {
    const installed = path.join(ROOT, 'node_modules', name);
    if (name === CHANGED) await cp(installed, path.join(modules, name), { recursive: true });
    else await symlink(installed, path.join(modules, name));
  }
  await appendFile(path.join(modules, CHANGED, 'jsonata.js'), '\n');
  const cli = path.join(scripts, 'cli.js');
  return async (...args) => await startProcess(process.execPath, [cli, ...args], { cwd: folder }).ended;
}
