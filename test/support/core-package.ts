import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Ended, type Running, startProcess } from './command.ts';
import { BUILD, DATA, ROOT } from './paths.ts';

/** The compiled package in a folder of its own, without any of its parts, and with the shipped games in `data/`. */
export class CorePackage {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Copies the package; `remove` has to be called. */
  static async make(): Promise<CorePackage> {
    const folder = await mkdtemp(path.join(tmpdir(), 'core-alone-'));
    for (const program of ['scripts', 'gateway'])
      await cp(path.join(BUILD, program), path.join(folder, 'build', program), {
        recursive: true,
        filter: (file) => path.relative(path.join(BUILD, program), file) !== 'parts',
      });
    await cp(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
    await cp(DATA, path.join(folder, 'data'), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    return new CorePackage(folder);
  }

  /** Starts one of its commands in its folder. */
  start(name: 'gamedata' | 'gateway', ...args: string[]): Running {
    const program = path.join(this.folder, 'build', name === 'gamedata' ? 'scripts' : name, 'cli.js');
    return startProcess(process.execPath, [program, ...args], { cwd: this.folder });
  }

  /** Runs one of its commands until it ends. */
  run(name: 'gamedata' | 'gateway', ...args: string[]): Promise<Ended> {
    return this.start(name, ...args).ended;
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
