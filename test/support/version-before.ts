import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { CommandName } from './command.ts';
import { ROOT } from './paths.ts';

const run = promisify(execFile);

/** The last commit of version 0.1.0. The release of a version sets this to its own. */
export const COMMIT_BEFORE = '2a1b60b6ce848dc18182f28154b536db81011812';

/** The last commit whose stores in folders are in LMDB. Gone with gateway/backup/old-folder. */
export const COMMIT_WITH_LMDB = 'fad480970eaf9d901bd46e0e0e671ccece2afde1';

/** Where the code of earlier versions is compiled, each commit once. */
const VERSIONS = path.join(ROOT, 'var/versions');

/** The code of an earlier version, compiled. */
export interface VersionBefore {
  /** The program and first arguments that run a command. */
  command(name: CommandName): [string, string];
}

/** Returns whether the history of git is here, from which the version before is taken. */
export async function hasHistory(): Promise<boolean> {
  return await run('git', ['cat-file', '-e', COMMIT_BEFORE], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
}

/** Compiles the version before, or that of another commit, with the packages of this version. What was compiled once is used again. */
export async function compileVersionBefore(commit = COMMIT_BEFORE): Promise<VersionBefore> {
  const folder = path.join(VERSIONS, commit);
  if (!existsSync(folder)) await compile(commit, folder);
  const files = { gamedata: 'build/scripts/cli.js', gateway: 'build/gateway/cli.js' };
  return { command: (name) => [process.execPath, path.join(folder, 'code', files[name])] };
}

/**
 * Compiles a commit beside the folder, and renames it when it is whole, since files of tests run beside each other. Those versions import the client
 * of Redis as `redis`, and `cluster-key-slot`, which is installed for them only.
 */
async function compile(commit: string, folder: string): Promise<void> {
  await mkdir(VERSIONS, { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  const code = path.join(draft, 'code');
  const archive = path.join(draft, 'archive.tar');
  await run('git', ['archive', '-o', archive, commit, '--', '.', ':!data', ':!test'], { cwd: ROOT });
  const packages = path.join(ROOT, 'node_modules');
  await mkdir(path.join(code, 'node_modules'), { recursive: true });
  await symlink(packages, path.join(draft, 'node_modules'));
  await symlink(path.join(packages, '@redis/client'), path.join(code, 'node_modules/redis'));
  await run('tar', ['-xf', archive, '-C', code]);
  await rm(archive);
  // What they import only to use buckets and archives is not installed any more.
  const file = path.join(code, 'package.json');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('tsc -p', 'tsc --noCheck -p'));
  await run('npm', ['run', '--silent', 'prepare'], { cwd: code });
  await rename(draft, folder).catch(async (error: NodeJS.ErrnoException) => {
    // Another file of tests was faster.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(draft, { recursive: true });
  });
}
