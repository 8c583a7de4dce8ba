import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../support/paths.ts';

const NOT_CHECKED_OUT = new Set(['node_modules', 'build', 'dist', 'var', '.git']);

/** A copy of this checkout. */
export interface Checkout {
  folder: string;
  remove(): Promise<void>;
}

/** Copies this checkout into a new folder, in which a test may write. Its packages are installed; its code is not compiled. */
export async function copyCheckout(): Promise<Checkout> {
  const folder = await mkdtemp(path.join(tmpdir(), 'checkout-'));
  const remove = () => rm(folder, { recursive: true });
  try {
    const filter = (source: string) => !NOT_CHECKED_OUT.has(path.relative(ROOT, source));
    await cp(ROOT, folder, { recursive: true, filter });
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
}

/** Calls `use` with a copy of this checkout, and removes the copy afterwards. */
export async function withCheckout<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const { folder, remove } = await copyCheckout();
  try {
    return await use(folder);
  } finally {
    await remove();
  }
}
