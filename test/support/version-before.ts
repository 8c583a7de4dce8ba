import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { CommandName } from './command.ts';
import { ROOT } from './paths.ts';

const run = promisify(execFile);

/** The last commit of version 0.1.0. The release of a version sets this to its own. */
export const COMMIT_BEFORE = '2a1b60b6ce848dc18182f28154b536db81011812';

/** The last commit whose stores in folders are in LMDB. Gone with gateway/parts/backup/old-folder. */
export const COMMIT_WITH_LMDB = 'fad480970eaf9d901bd46e0e0e671ccece2afde1';

/** The code of an earlier version, compiled. */
export interface VersionBefore {
  /** The program and first arguments that run a command. */
  command(name: CommandName): [string, string];
  remove(): Promise<void>;
}

/** Returns whether the history of git is here, from which the version before is taken. */
export async function hasHistory(): Promise<boolean> {
  return await run('git', ['cat-file', '-e', COMMIT_BEFORE], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
}

/**
 * Compiles the version before, or that of another commit, in a folder of its own, with the packages of this version. Those versions import the
 * client of Redis as `redis`, and `cluster-key-slot`, which is installed for them only.
 */
export async function compileVersionBefore(commit = COMMIT_BEFORE): Promise<VersionBefore> {
  const folder = await mkdtemp(path.join(tmpdir(), 'version-before-'));
  const code = path.join(folder, 'code');
  const archive = path.join(folder, 'archive.tar');
  await run('git', ['archive', '-o', archive, commit, '--', '.', ':!data', ':!test'], { cwd: ROOT });
  const packages = path.join(ROOT, 'node_modules');
  await symlink(packages, path.join(folder, 'node_modules'));
  await mkdir(path.join(code, 'node_modules'), { recursive: true });
  await symlink(path.join(packages, '@redis/client'), path.join(code, 'node_modules/redis'));
  await run('tar', ['-xf', archive, '-C', code]);
  // What they import only to use buckets and archives is not installed any more.
  const file = path.join(code, 'package.json');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('tsc -p', 'tsc --noCheck -p'));
  await run('npm', ['run', '--silent', 'prepare'], { cwd: code });
  const files = { gamedata: 'build/scripts/cli.js', gateway: 'build/gateway/cli.js' };
  return {
    command: (name) => [process.execPath, path.join(code, files[name])],
    remove: () => rm(folder, { recursive: true }),
  };
}
