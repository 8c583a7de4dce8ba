import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import path from 'node:path';

const IS_ROOT = process.getuid?.() === 0;
const NAMESPACE = ['--mount', ...(IS_ROOT ? [] : ['--map-root-user'])];
const BLOCK = 4096;

/** Whether small disks can be made here: with the rights of root, or where users may have namespaces of their own. */
export const CAN_MOUNT =
  spawnSync('unshare', [...NAMESPACE, 'mount', '-t', 'tmpfs', 'none', '/tmp'], { stdio: 'ignore' }).status ===
  0;

/**
 * A disk in memory, mounted on a folder in a separate mount namespace: nothing remains of it, even if this process is killed. Processes that
 * are to use it run in that namespace.
 */
export class SmallDisk {
  readonly #folder: string;
  readonly #holder: ChildProcess;

  private constructor(folder: string, holder: ChildProcess) {
    this.#folder = folder;
    this.#holder = holder;
  }

  /**
   * Mounts a disk.
   *
   * @param folder a folder that exists
   * @param bytes the size of the disk
   */
  static async open(folder: string, bytes: number): Promise<SmallDisk> {
    const mount = `mount -t tmpfs -o size=${bytes} none "$1" && echo mounted && exec cat`;
    // It ends when its input is closed, so also when this process ends.
    const holder = spawn('unshare', [...NAMESPACE, 'sh', '-c', mount, 'sh', folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd: path.dirname(folder),
    });
    const mounted = once(holder.stdout, 'data').then(() => true);
    if (!(await Promise.race([mounted, once(holder, 'exit').then(() => false)])))
      throw new Error(`no disk can be mounted on ${folder}`);
    return new SmallDisk(folder, holder);
  }

  /** The program and arguments that run a command where it sees the disk, in the folder that the disk is in. */
  inside(command: readonly string[]): [string, ...string[]] {
    const namespaces = ['--mount', ...(IS_ROOT ? [] : ['--user', '--preserve-credentials'])];
    return ['nsenter', '--target', String(this.#holder.pid), ...namespaces, '--wd', '--', ...command];
  }

  /** The path by which this process, which does not see the disk, can read one of its files. */
  outside(file: string): string {
    return path.join('/proc', String(this.#holder.pid), 'root', this.#folder, file);
  }

  /** Fills the disk until less than `left` bytes are free. */
  fill(left = BLOCK): void {
    const file = openSync(this.#ballast, 'w');
    const block = Buffer.alloc(BLOCK, 1);
    let size = 0;
    try {
      for (;;) size += writeSync(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
    truncateSync(this.#ballast, Math.max(0, size - left + BLOCK));
  }

  /** Removes what `fill` wrote. */
  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  /** Removes the disk, once all processes that use it have ended. */
  async close(): Promise<void> {
    const ended = once(this.#holder, 'exit');
    this.#holder.stdin?.end();
    await ended;
  }

  get #ballast(): string {
    return this.outside('ballast');
  }
}
