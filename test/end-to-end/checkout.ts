import { cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../support/fixtures.ts';
import { ROOT } from '../support/paths.ts';

const NOT_CHECKED_OUT = new Set(['node_modules', 'build', 'dist', 'var', '.git']);

/** Copies this checkout into a new folder, in which a test may write. Its packages are installed; its code is not compiled. */
export async function copyCheckout(): Promise<string> {
  const folder = await makeFolder('checkout');
  const filter = (source: string) => !NOT_CHECKED_OUT.has(path.relative(ROOT, source));
  await cp(ROOT, folder, { recursive: true, filter });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}
