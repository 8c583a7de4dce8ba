import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { brotliOptions, GZIP_OPTIONS } from '../../../scripts/dist/compress.ts';
import type { ReadOptions } from '../../../scripts/findings/read-options.ts';
import { findBuildFiles } from '../../../scripts/read/build-files.ts';
import { KNOWN_FILES } from '../../../scripts/read/formats/formats.ts';
import { parseFile } from '../../../scripts/read/read-file.ts';
import { type GameSource, readGame } from '../../../scripts/read/game/read-game.ts';

/**
 * Does the least work that any compiler of these games has to do, in one process and thread: parses each raw table once, serialises and
 * hashes each output once, and compresses what the compiler compresses, with the same settings. Prints how many seconds this took,
 * without the time to find the tables and the outputs.
 *
 * Usage: least-work <data> <dist>
 */
const [data, dist] = process.argv.slice(2) as [string, string];
const tables = await listTables();
const outputs = readOutputs();

const started = { wall: performance.now(), cpu: process.cpuUsage() };
for (const { file, reading } of tables) await parseFile(file, reading);
for (const { name, value } of outputs) {
  const bytes = Buffer.from(JSON.stringify(value));
  hash(bytes);
  if (!name.startsWith('snapshot.')) continue;
  hash(gzipSync(bytes, GZIP_OPTIONS));
  hash(brotliCompressSync(bytes, brotliOptions(bytes.length)));
}
const { user, system } = process.cpuUsage(started.cpu);
const wall = (performance.now() - started.wall) / 1000;
process.stdout.write(JSON.stringify({ wall, cpu: (user + system) / 1e6 }));

function hash(bytes: Buffer): void {
  createHash('sha256').update(bytes).digest('hex');
}

async function listTables(): Promise<{ file: string; reading: ReadOptions }[]> {
  const tables = new Map<string, { file: string; reading: ReadOptions }>();
  for (const slug of readdirSync(data, { withFileTypes: true })) {
    if (!slug.isDirectory()) continue;
    const { value: game } = await readGame(path.join(data, slug.name), slug.name);
    for await (const { source, overlays } of findBuildFiles(game as GameSource)) {
      const read = source.definition.tables.map(({ files, reading }) => ({ files, reading }));
      for (const { files, reading } of [...read, { files: KNOWN_FILES, reading: {} }]) {
        for (const file of overlays.get(files)?.values() ?? []) {
          tables.set(JSON.stringify([file, reading]), { file, reading });
        }
      }
    }
  }
  return [...tables.values()];
}

function readOutputs(): { name: string; value: unknown }[] {
  const games = readdirSync(dist, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return games.flatMap(({ name: slug }) =>
    readdirSync(path.join(dist, slug))
      // Snapshots are there in compressed form only.
      .filter((name) => /\.json(\.gz)?$/.test(name))
      .map((name) => {
        const bytes = readFileSync(path.join(dist, slug, name));
        const value: unknown = JSON.parse(String(name.endsWith('.gz') ? gunzipSync(bytes) : bytes));
        return { name, value };
      }),
  );
}
