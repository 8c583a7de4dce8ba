import { isDeepStrictEqual } from 'node:util';
import jsonPatch from 'fast-json-patch';
import * as assert from 'uvu/assert';
import type { Change } from '../../../scripts/diff/compare-values.ts';
import { type BuildDiff, diffBuilds, type RecordsDiff } from '../../../scripts/diff/diff-builds.ts';
import { patchBuilds } from '../../../scripts/diff/patch-builds.ts';
import type { BuildContent } from '../../../scripts/format/build-content.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { pointerSteps } from '../../../scripts/lib/json-pointer.ts';
import { type Snapshot, snapshotOf } from './contents.ts';

/** What must hold for any two builds. */
export function checkPair(before: BuildContent, after: BuildContent): void {
  const [from, to] = [snapshotOf(before), snapshotOf(after)];
  const patched = applyPatches(snapshotOf(before), before, after);
  checkEqual(patched, to, 'the patch gives the other snapshot');
  checkEqual(applyPatches(patched, after, before), from, 'the two patches together change nothing');

  const diff = diffBuilds(before, after);
  checkRecords(from.characters, to.characters, idsOnly(diff));
  for (const key of new Set([...Object.keys(from.datasets), ...Object.keys(to.datasets)])) {
    checkDataset(from.datasets[key], to.datasets[key], diff.datasets[key]);
  }
}

/** Applies the patches between successive builds, and returns the document, which it changes. */
export function applyPatches(document: Snapshot, ...builds: BuildContent[]): Snapshot {
  for (const [index, after] of builds.slice(1).entries()) {
    // With validation: an operation that does not fit the document is an error. The library inserts values without copying them.
    const operations = structuredClone(patchBuilds(builds[index] as BuildContent, after));
    jsonPatch.applyPatch(document, operations, true);
  }
  return document;
}

function idsOnly({ characters: { added, removed, changed } }: BuildDiff): RecordsDiff {
  return { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id), changed };
}

function checkDataset(
  from: Json | undefined,
  to: Json | undefined,
  diff: BuildDiff['datasets'][string] | undefined,
) {
  if (diff === undefined) {
    checkEqual(from, to, 'a dataset that is not mentioned did not change');
    return;
  }
  assert.is(diff.kind, from === undefined ? 'added' : to === undefined ? 'removed' : undefined);
  if ('changes' in diff) checkChanges(from, to, diff.changes);
  else checkRecords((from ?? []) as JsonObject[], (to ?? []) as JsonObject[], diff);
}

/** A diff mentions exactly the records that differ. */
function checkRecords(from: JsonObject[], to: JsonObject[], diff: RecordsDiff): void {
  const byId = (list: JsonObject[]) => new Map(list.map((record) => [record.id as string, record]));
  const [before, after] = [byId(from), byId(to)];
  const inBoth = [...after.keys()].filter((id) => before.has(id));
  assert.equal(
    diff.added,
    [...after.keys()].filter((id) => !before.has(id)),
  );
  assert.equal(
    diff.removed,
    [...before.keys()].filter((id) => !after.has(id)),
  );
  assert.equal(
    diff.changed.map(({ id }) => id),
    inBoth.filter((id) => !isDeepStrictEqual(before.get(id), after.get(id))),
  );
  for (const { id, changes } of diff.changed) checkChanges(before.get(id), after.get(id), changes);
}

/** Every `from` and `to` is at its pointer, and both values are equal without the parts that the changes mention. */
function checkChanges(before: Json | undefined, after: Json | undefined, changes: readonly Change[]): void {
  assert.ok(changes.length > 0);
  const from = changes.filter((change) => 'from' in change);
  const to = changes.filter((change) => 'to' in change);
  for (const change of changes) assert.ok('from' in change || 'to' in change);
  for (const { path, from_path } of changes) assert.is.not(from_path, path);
  for (const { path, from_path = path, from: value } of from)
    checkEqual(valueAt(before, from_path), value, `from at ${from_path}`);
  for (const { path, to: value } of to) checkEqual(valueAt(after, path), value, `to at ${path}`);
  const restBefore = without(
    before,
    from.map(({ path, from_path = path }) => path && from_path),
  );
  const restAfter = without(
    after,
    to.map(({ path }) => path),
  );
  checkEqual(restBefore, restAfter, 'nothing else differs');
}

function valueAt(value: Json | undefined, pointer: string): Json | undefined {
  let part = value;
  for (const step of pointerSteps(pointer)) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, step)) return undefined;
    part = (part as JsonObject)[step];
  }
  return part;
}

/** Copies a value without the parts at some pointers, none of which is inside another. */
function without(value: Json | undefined, pointers: string[]): Json | undefined {
  if (pointers.includes('')) return undefined;
  const copy = structuredClone(value);
  // From the end of lists to the start, so that the other indexes do not change.
  const byIndex = new Intl.Collator('en', { numeric: true });
  for (const pointer of pointers.toSorted((a, b) => byIndex.compare(b, a))) {
    const steps = pointerSteps(pointer);
    const last = steps.pop() as string;
    const parent = valueAt(copy, pointer.slice(0, pointer.lastIndexOf('/')));
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete (parent as JsonObject)[last];
  }
  return copy;
}

/** Compares two JSON values. `assert.equal` would mistake an attribute named "constructor" for the object's constructor. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  assert.ok(isDeepStrictEqual(actual, expected), what);
}
