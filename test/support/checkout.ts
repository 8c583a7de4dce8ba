import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './paths.ts';

const NOT_CHECKED_OUT = new Set(['node_modules', 'build', 'dist', 'var', '.git']);

/** Calls `use` with a copy of this checkout, to write into at will, whose packages are installed; removes it after it. */
export async function withCheckout<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'checkout-'));
  try {
    const filter = (source: string) => !NOT_CHECKED_OUT.has(path.relative(ROOT, source));
    await cp(ROOT, folder, { recursive: true, filter });
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
