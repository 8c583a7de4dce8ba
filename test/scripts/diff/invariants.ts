import { isDeepStrictEqual } from 'node:util';
import jsonPatch from 'fast-json-patch';
import * as assert from 'uvu/assert';
import type { AttributeChanges } from '../../../scripts/diff/attribute-changes.ts';
import type { Change } from '../../../scripts/diff/compare.ts';
import {
  type BuildDiff,
  diffBuilds,
  patchBuilds,
  type RecordsDiff,
} from '../../../scripts/diff/diff-builds.ts';
import type { BuildContent } from '../../../scripts/format/build-content.ts';
import type { Json, JsonObject } from '../../../scripts/format/dist-format.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';
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

function idsOnly({ characters: { added, removed, changed, attributes } }: BuildDiff): RecordsDiff {
  const ids = { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id) };
  return { ...ids, changed, ...(attributes && { attributes }) };
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
  if ('changes' in diff) {
    checkAttributes(Array.isArray(from) ? from : [], Array.isArray(to) ? to : [], diff.attributes);
    if (diff.changes.length > 0) checkChanges(from, to, diff.changes, diff.attributes);
    else assert.ok(diff.attributes);
  } else checkRecords((from ?? []) as JsonObject[], (to ?? []) as JsonObject[], diff);
}

/** What all records gained or lost is what no record of the other build has. */
function checkAttributes(from: Json[], to: Json[], attributes: AttributeChanges | undefined): void {
  const [before, after] = [keysOf(from), keysOf(to)];
  const topOnly = (keys: string[], others: Set<string>) =>
    keys.filter(
      (key) => !others.has(key) && (key.lastIndexOf('.') < 0 || others.has(key.replace(/\.[^.]*$/, ''))),
    );
  const isWhole = from.length > 0 && to.length > 0;
  const gained = isWhole ? topOnly([...after].sort(), before) : [];
  const lost = isWhole ? topOnly([...before].sort(), after) : [];
  const found = { gained: attributes?.gained ?? [], lost: attributes?.lost ?? [] };
  checkEqual(found, { gained, lost }, 'attributes gained and lost');
}

/** The dotted keys of all attributes in a list, also in lists inside it. */
function keysOf(value: Json, prefix = '', keys = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const element of value) keysOf(element, prefix, keys);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      keys.add(prefix + name);
      keysOf(part, `${prefix}${name}.`, keys);
    }
  }
  return keys;
}

/** Copies a value without the attributes with some dotted keys. */
function leaveOut(value: Json | undefined, keys: readonly string[] = [], prefix = ''): Json | undefined {
  if (Array.isArray(value)) return value.map((element) => leaveOut(element, keys, prefix) as Json);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !keys.includes(prefix + name));
  return Object.fromEntries(
    kept.map(([name, part]) => [name, leaveOut(part, keys, `${prefix}${name}.`) as Json]),
  );
}

/** A diff mentions exactly the records that differ in what not all records gained or lost. */
function checkRecords(from: JsonObject[], to: JsonObject[], diff: RecordsDiff): void {
  const byId = (list: JsonObject[]) => new Map(list.map((record) => [record.id as string, record]));
  const [before, after] = [byId(from), byId(to)];
  checkAttributes(from, to, diff.attributes);
  const { gained, lost } = diff.attributes ?? {};
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
    inBoth.filter(
      (id) => !isDeepStrictEqual(leaveOut(before.get(id), lost), leaveOut(after.get(id), gained)),
    ),
  );
  for (const { id, changes } of diff.changed) {
    checkChanges(before.get(id), after.get(id), changes, diff.attributes);
  }
}

/** Every `from` and `to` is at its pointer, and both values are equal without the parts that the changes mention. */
function checkChanges(
  before: Json | undefined,
  after: Json | undefined,
  changes: readonly Change[],
  attributes: AttributeChanges | undefined,
): void {
  assert.ok(changes.length > 0);
  const from = changes.filter((change) => 'from' in change);
  const to = changes.filter((change) => 'to' in change);
  for (const change of changes) assert.ok('from' in change || 'to' in change);
  for (const { path, from_path } of changes) assert.is.not(from_path, path);
  for (const { path, from_path = path, from: value } of from)
    checkEqual(valueAt(before, from_path), value, `from at ${from_path}`);
  for (const { path, to: value } of to) checkEqual(valueAt(after, path), value, `to at ${path}`);
  const restBefore = without(
    leaveOut(before, attributes?.lost),
    from.map(({ path, from_path = path }) => path && from_path),
  );
  const restAfter = without(
    leaveOut(after, attributes?.gained),
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
function checkEqual(actual: unknown, expected: unknown, what: string): void {
  assert.ok(isDeepStrictEqual(actual, expected), what);
}
