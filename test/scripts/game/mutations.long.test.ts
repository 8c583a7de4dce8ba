import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countFindings, locateFindings, renderFindings } from '../../../scripts/check/report.ts';
import { canonicalise } from '../../../scripts/compile/compile-build.ts';
import { compileGame } from '../../../scripts/compile/game.ts';
import { planIndex } from '../../../scripts/dist/plan.ts';
import { writeDist } from '../../../scripts/dist/write-dist.ts';
import type { Finding } from '../../../scripts/findings.ts';
import { listReader } from '../../../scripts/format/build-content.ts';
import {
  compareNatural,
  type FileRef,
  filesOf,
  type Index,
  INDEX_FILE,
  type JsonObject,
  type Manifest,
  sliceList,
} from '../../../scripts/format/dist-format.ts';
import { indexSchema, manifestSchema } from '../../../scripts/format/dist-schemas.ts';
import { compileSchema } from '../../../scripts/read/schema.ts';
import { type Files, writeFiles } from '../../support/fixtures.ts';
import { DATA } from '../../support/paths.ts';
import { fc, timesOf } from '../../support/random.ts';
import { reduceGame } from './reduced-game.ts';
import { hashFolder } from '../commands/hash-folder.ts';
import { mutate, mutations } from './mutations.ts';

const test = suite('mutated games');

const RUNS = timesOf(600);
const GAMES = ['arknights', 'genshin-impact', 'zenless-zone-zero'];
// In memory if possible: every file of dist/ is synced.
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const validIndex = compileSchema(indexSchema);
const validManifest = compileSchema(manifestSchema);

/** Several lanes run at once, because most of the time is spent waiting for the disk. */
const LANES = 4;

interface Reduced {
  slug: string;
  /** By its path in the folder of a lane. */
  name: string;
  files: Files;
}

let root = '';
const reduced: Reduced[] = [];

test.before(async () => {
  root = await mkdtemp(path.join(parent, 'mutations-'));
  for (const slug of GAMES) {
    for (const [key, files] of await reduceGame(path.join(DATA, slug))) {
      const name = `${slug}-${key}`;
      await writeFiles(path.join(root, name), files);
      const { findings } = await compileGame(path.join(root, name), slug);
      // A dataset that needs more rows than are kept is left out; warnings come from what is left.
      if (!findings.some(({ severity }) => severity === 'error')) reduced.push({ slug, name, files });
    }
  }
});
test.after(() => rm(root, { recursive: true }));

/** Changes the files on disk from one state to another, in which a folder may have become a file. */
async function replaceFiles(folder: string, before: Files, after: Files): Promise<void> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => before[name] !== after[name]);
  for (const name of changed) await rm(path.join(folder, name), { recursive: true, force: true });
  const written = names.filter((name) =>
    changed.some((other) => name === other || name.startsWith(`${other}/`)),
  );
  await writeFiles(folder, Object.fromEntries(written.map((name) => [name, after[name]])));
}

/** Each finding has all its texts, and a line that exists in its file. */
async function checkFindings(findings: readonly Finding[], folder: string): Promise<void> {
  for (const { place, found, expected } of findings) {
    assert.ok(place.file.startsWith(folder), place.file);
    assert.ok(found !== '' && expected !== '');
    const text = await readFile(place.file, 'utf8').catch(() => '');
    const lines = text.split(/\r\n?|\n/).length;
    assert.ok(Number.isInteger(place.line) && (place.line as number) >= 1, `line ${place.line}`);
    assert.ok((place.line as number) <= lines, `line ${place.line} of ${lines} in ${place.file}`);
  }
  checkText(renderFindings(findings), findings.length);
}

/** A line of a finding's text. */
const TEXT_LINE = /^(?:(?:error|warning) \S.*:\d+.* \([a-z-]+\)| {2}(?:found|expected|to do|and) +.+|)$/;
/** Characters that control a terminal or are invisible. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The rendered text has the expected lines for each finding. */
function checkText(text: string, count: number): void {
  const lines = text.split('\n');
  for (const line of lines) {
    assert.match(line, TEXT_LINE);
    assert.not.match(line, CONTROL);
  }
  const begin = (word: string) => lines.filter((line) => line.startsWith(word)).length;
  assert.equal(
    [begin('error ') + begin('warning '), begin('  found '), begin('  expected ')],
    [count, count, count],
  );
}

/** Reads all of dist/ back: every file that the index names exists, matches its hash and the format, and no other files exist. */
async function checkDist(dist: string): Promise<void> {
  const read = (file: string) => readFile(path.join(dist, file));
  const hashes = await hashFolder(dist);
  const index = JSON.parse(String(await read(INDEX_FILE))) as Index;
  assert.ok(validIndex(index));
  const named = new Set([INDEX_FILE]);
  const readRef = async ({ file, bytes, sha256 }: FileRef): Promise<Buffer> => {
    named.add(file);
    const content = await read(file);
    assert.equal([content.length, hashes[file]], [bytes, sha256]);
    return content;
  };
  for (const { manifest } of index.games) {
    const { builds, ...game } = JSON.parse(String(await readRef(manifest))) as Manifest;
    assert.ok(validManifest({ ...game, builds }));
    for (const entry of builds) {
      const { roster, characters, datasets } = entry;
      for (const ref of filesOf(entry)) await readRef(ref);
      const readList = listReader(entry, readRef);
      const ids = checkRecords(await readList(characters), characters.count);
      assert.ok(ids.length > 0 && ids.every((id) => typeof id === 'string'));
      assert.equal(checkRecords(await readList(roster), roster.count), ids);
      for (const dataset of datasets) {
        const content = await readList(dataset);
        assert.is(hash('sha256', content), dataset.sha256);
        if (dataset.kind === 'list') checkRecords(content, dataset.count);
        else checkCanonical(String(content).trimEnd());
      }
    }
  }
  assert.equal(Object.keys(hashes), [...named].sort());
}

/** The ids of a list's records, which are canonical and in natural order of distinct ids. */
function checkRecords(file: Buffer, count: number): unknown[] {
  const records = sliceList(file).map((line) => checkCanonical(String(line)));
  assert.is(records.length, count);
  const ids = records.map(({ id }) => id);
  if (ids.some((id) => id !== undefined)) {
    for (let at = 1; at < ids.length; at++) {
      assert.ok(compareNatural(String(ids[at - 1]), String(ids[at])) < 0, `${ids[at - 1]} before ${ids[at]}`);
    }
  }
  return ids;
}

function checkCanonical(text: string): JsonObject {
  const value = JSON.parse(text);
  assert.is(JSON.stringify(canonicalise(value).value), text);
  return value;
}

/** Compiles, and writes if there is no error, as `gamedata build` does. Returns whether it wrote. */
async function buildChecked(folder: string, slug: string): Promise<boolean> {
  const { value: plan, findings } = await compileGame(folder, slug);
  const located = await locateFindings(findings);
  await checkFindings(located, folder);
  if (countFindings(located).errors > 0) return false;
  assert.ok(plan, 'neither a build nor an error');
  const dist = `${folder}-dist`;
  try {
    await writeDist(dist, [plan], planIndex([plan], []), undefined);
    await checkDist(dist);
  } finally {
    await rm(dist, { recursive: true, force: true });
  }
  return true;
}

test('most games compile before they are mutated', async () => {
  assert.ok(reduced.length > 10);
  for (const { slug, name } of reduced) assert.ok(await buildChecked(path.join(root, name), slug));
});

/** Mutates games in its own folder. Returns how often a build was written. */
async function runLane(lane: string, numRuns: number): Promise<number> {
  for (const { name, files } of reduced) await writeFiles(path.join(lane, name), files);
  let written = 0;
  const property = fc.asyncProperty(fc.nat(), mutations, async (which, list) => {
    const { slug, name, files } = reduced[which % reduced.length] as Reduced;
    const folder = path.join(lane, name);
    const mutated = mutate(files, list);
    await replaceFiles(folder, files, mutated);
    try {
      if (await buildChecked(folder, slug)) written++;
    } finally {
      await replaceFiles(folder, mutated, files);
    }
  });
  await fc.assert(property, { numRuns, includeErrorInReport: true });
  return written;
}

test(`${RUNS} random mutations give findings or a correct build, never a crash`, async () => {
  const lanes = Array.from({ length: LANES }, (_, lane) => path.join(root, `lane-${lane}`));
  const ended = await Promise.allSettled(lanes.map((lane) => runLane(lane, Math.ceil(RUNS / LANES))));
  const failed = ended.find((lane) => lane.status === 'rejected');
  if (failed) throw failed.reason;
  const written = ended.reduce((sum, lane) => sum + (lane.status === 'fulfilled' ? lane.value : 0), 0);
  // If all mutations failed, or none, they would test nothing.
  assert.ok(written > 0 && written < RUNS, `${written} of ${RUNS} were written`);
});

test.run();
