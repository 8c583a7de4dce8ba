import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './paths.ts';
import { findProgram } from './skip.ts';

/** What a disk does to writes: it is full, read-only, or defective. */
export const DISK_FAULTS = ['ENOSPC', 'EROFS', 'EIO'] as const;
/** One of `DISK_FAULTS`. */
export type DiskFault = (typeof DISK_FAULTS)[number];

/** What is missing to make a faulty machine; undefined if nothing is. */
export const FAULTY_MACHINE_LACKS =
  process.platform !== 'linux' ? 'Linux' : findProgram('gcc') === undefined ? 'gcc' : undefined;

const CONTROL_BYTES = 24;
const OFFSETS = { error: 0, from: 4, operations: 8, failed: 12, shift: 16 };

/** A disk below a folder that fails on demand, and a clock that can be set, for processes with `env`. */
export class FaultyMachine {
  /** The environment of processes on this machine. */
  readonly env: Readonly<Record<string, string>>;
  readonly #root: string;
  readonly #control: number;

  private constructor(root: string, folder: string) {
    this.#root = root;
    const control = path.join(root, 'control');
    this.#control = openSync(control, 'r+');
    this.env = {
      LD_PRELOAD: path.join(root, 'faulty-machine.so'),
      FAULTS_CONTROL: control,
      FAULTS_FOLDER: folder,
    };
  }

  /** @param folder the absolute path of what is on the disk */
  static async open(folder: string): Promise<FaultyMachine> {
    const root = await mkdtemp(path.join(tmpdir(), 'faulty-machine-'));
    const source = path.join(ROOT, 'test/support/faulty-machine.c');
    const args = [
      '-shared',
      '-fPIC',
      '-O1',
      '-w',
      '-o',
      path.join(root, 'faulty-machine.so'),
      source,
      '-ldl',
    ];
    const { status, stderr } = spawnSync('gcc', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`gcc cannot compile ${source}:\n${stderr}`);
    await writeFile(path.join(root, 'control'), Buffer.alloc(CONTROL_BYTES));
    return new FaultyMachine(root, folder);
  }

  /** Lets writes fail from the operation of this number on (from 1), until `mend`. */
  damage(fault: DiskFault, from = 1): void {
    const bytes = Buffer.alloc(OFFSETS.shift);
    bytes.writeInt32LE(constants.errno[fault as 'EIO'], OFFSETS.error);
    bytes.writeInt32LE(from, OFFSETS.from);
    writeSync(this.#control, bytes, 0, bytes.length, 0);
  }

  /** Ends the fault. @returns how many operations failed */
  mend(): number {
    const bytes = Buffer.alloc(OFFSETS.shift);
    readSync(this.#control, bytes, 0, bytes.length, 0);
    writeSync(this.#control, Buffer.alloc(OFFSETS.shift), 0, OFFSETS.shift, 0);
    return bytes.readInt32LE(OFFSETS.failed);
  }

  /** Sets the clock of the machine, relative to the real time. */
  shiftClock(ms: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.trunc(ms)));
    writeSync(this.#control, bytes, 0, bytes.length, OFFSETS.shift);
  }

  async close(): Promise<void> {
    closeSync(this.#control);
    await rm(this.#root, { recursive: true });
  }
}
