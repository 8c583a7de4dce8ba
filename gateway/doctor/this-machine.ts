import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rmdir, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { canOthersRead } from '../../scripts/lib/private-files.ts';
import { findFileLimit } from '../../scripts/lib/open-files.ts';
import type { Machine } from './check.ts';

/** The machine that this process runs on. */
export const THIS_MACHINE: Machine = {
  nodeVersion: process.versions.node,
  uid: process.getuid?.(),
  cores: availableParallelism(),
  maxOpenFiles: findFileLimit(),
  words: process.argv.slice(2),
  temporaryFolder: tmpdir(),
  now: Date.now,
  async freeBytes(folder) {
    const stats = await statfs(nearestFolder(folder)).catch(() => undefined);
    return stats && stats.bavail * stats.bsize;
  },
  async tryWriting(folder) {
    await rmdir(await mkdtemp(path.join(nearestFolder(folder), '.check-')));
  },
  canOthersRead,
  async tryListening(port, host) {
    const server = createServer().listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  },
};

/** Returns a folder, or the nearest one above it that exists. */
function nearestFolder(folder: string): string {
  return existsSync(folder) || path.dirname(folder) === folder ? folder : nearestFolder(path.dirname(folder));
}
