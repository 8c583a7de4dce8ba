import path from 'node:path';
import {
  type CompiledBuild,
  type CompiledDataset,
  type CompiledRecord,
  canonicalise,
  sortAttributes,
} from '../compile/compile-build.ts';
import { textsOf } from '../diff/diff-builds.ts';
import { errorAt, type Finding, type Place, quoteValue, type WithFindings } from '../findings.ts';
import type { BuildContent, DatasetContent } from '../format/build-content.ts';
import {
  eachAttribute,
  isObject,
  type Json,
  type JsonObject,
  ownValue,
  parseRecord,
} from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { suggestFix } from '../text.ts';
import { CORRECTIONS_FILE, type Correction, targetOf } from './corrections.ts';

/** The upstream values that corrections replaced in the last build, as JSON texts; null for none. It is JSON, because the memo of builds stores it. */
export type CorrectedSoFar = Readonly<Record<string, unknown>>;

/** A corrected build, and the upstream values after it. */
export interface CorrectedBuild {
  build: CompiledBuild;
  soFar: CorrectedSoFar;
}

/** The key of carried datasets; no collection has a space in its name. */
const CARRIED = ' carried';

/** Replaces wrong upstream values by those of corrections.json. The build's records are not modified: corrected ones are copies. */
export function applyCorrections(
  build: CompiledBuild,
  { [CARRIED]: earlier = {}, ...before }: CorrectedSoFar,
  previous?: BuildContent,
): WithFindings<CorrectedBuild> {
  const { corrections, carried } = build.source;
  const { value, findings } = carryDatasets(build, previous, earlier as Readonly<Record<string, string>>);
  const soFar = { ...before };
  const file = path.posix.join(path.posix.dirname(build.source.folder), CORRECTIONS_FILE);
  let corrected = value;
  for (const correction of corrections) {
    // Carried records have the corrections of their own build.
    const { collection, id } = correction;
    if ([collection, `${collection}/${id}`].some((key) => Object.hasOwn(carried, key))) continue;
    const upstream = findUpstream(corrected, correction);
    if (upstream === undefined) continue;
    const key = `${targetOf(correction)} ${correction.since}`;
    const now = textOf(upstream.value);
    const isRight = now === textOf(correction.value);
    const fault = upstream.fault ?? judge(correction, build, upstream.value, before[key]);
    if (fault) {
      const [at, ...texts] = fault;
      const finding = errorAt('corrections', { file, pointer: correction.pointer + at }, ...texts);
      findings.push({ ...finding, severity: isRight ? 'warning' : 'error' });
    }
    if (upstream.fault) continue;
    soFar[key] = now;
    if (isRight) continue;
    const names = correction.attribute.split('.');
    const right = canonicalise(correction.value).value as Json;
    corrected = changeRecords(corrected, collection, id, (record) => setAt(record, names, right));
  }
  const carriedMark = value.carriedFrom && { [CARRIED]: value.carriedFrom };
  return { value: { build: corrected, soFar: { ...soFar, ...carriedMark } }, findings };
}

/** A fault of a correction: the member of it that is wrong, as a JSON Pointer, and the texts of the finding. */
type Fault = readonly [at: string, found: string, expected: string, fix?: string | undefined];

/** Returns the upstream value of a correction; undefined if the build does not have the record any more. */
function findUpstream(
  build: CompiledBuild,
  { collection, id, attribute, since }: Correction,
): { fault?: Fault; value?: Json | undefined } | undefined {
  const isFirst = build.source.build === since;
  const dataset = build.datasets.find(({ key }) => key === collection);
  const isOne = dataset?.kind === 'object';
  const compiled = collection === 'characters' ? build.characters : isOne ? [] : (dataset?.records ?? []);
  const records = isOne ? [dataset.object] : compiled.map(({ record }) => record);
  const record = records.find((each) => (isOne ? id === undefined : id !== undefined && each.id === id));
  if (record === undefined && !isFirst) return undefined;
  if (record === undefined) {
    const isKnown = collection === 'characters' || dataset !== undefined;
    const what = isKnown ? (id === undefined ? '"id"' : `record "${id}"`) : `dataset "${collection}"`;
    const found = `no ${what} in ${isKnown ? collection : 'the data'} of build ${since}`;
    const expected = '"characters" or the key of a dataset, with the id of a record unless it is one object';
    return { fault: [isKnown ? (id === undefined ? '' : '/id') : '/collection', found, expected] };
  }
  const names = attribute.split('.');
  const valueIn = (each: JsonObject) => ownValue(ownerOf(each, names) ?? {}, names.at(-1) ?? '');
  if (attribute === 'id' || ownerOf(record, names) === undefined) {
    const expected = 'an attribute that is reached through objects, other than the id';
    const fix = 'correct the list that it is inside, as a whole';
    return { fault: ['/attribute', `${attribute}, which cannot be corrected`, expected, fix] };
  }
  const isNew = (each: JsonObject) => (valueIn(each) ?? null) === null;
  if (!isFirst || !records.every(isNew)) return { value: valueIn(record) };
  const known = new Set<string>();
  for (const each of records) eachAttribute(each, (key) => known.add(key));
  const found = `${attribute}, which nothing in ${collection} has in build ${since}`;
  return { fault: ['/attribute', found, 'an attribute that is served', suggestFix(attribute, known).fix] };
}

/** Judges an upstream value. @param before its text in the previous build; undefined in the first corrected one */
function judge(
  correction: Correction,
  { source: { build } }: CompiledBuild,
  upstream: Json | undefined,
  before: unknown,
): Fault | undefined {
  const { collection, id, attribute, value } = correction;
  const target = `${attribute} of ${id === undefined ? collection : `"${id}" in ${collection}`}`;
  const now = textOf(upstream);
  const agrees = now === textOf(value);
  if (before === now || (before === undefined && !agrees)) return undefined;
  const until = `add "until": ${JSON.stringify(build)} to`;
  if (agrees) {
    const found = `a correction of ${target}, with which upstream agrees since ${build}`;
    const ending = `${until} it, so that later changes of the game are served; or remove it, if no released build needs it`;
    return ['', found, 'a value that upstream has wrong', before === undefined ? 'remove it' : ending];
  }
  const was = before === null ? undefined : JSON.parse(String(before));
  const { pointer: _, until: __, ...again } = { ...correction, since: build, reason: '…' };
  return [
    '/value',
    `upstream changed ${target} to ${quoteValue(upstream)} in build ${build}`,
    `${quoteValue(was)}, as when it was corrected, or ${quoteValue(value)}, the right value`,
    `look again: if the game changed it, ${until} the correction; if upstream is still wrong, add ${JSON.stringify(again)} to "corrections"`,
  ];
}

/**
 * Replaces the carried datasets and records of a build by those of the previous build; those that it lacks are left out.
 *
 * @param before undefined for the first build, or if earlier builds were left out
 * @param earlier the builds from which the previous build took its datasets
 */
export function carryDatasets(
  build: CompiledBuild,
  before: BuildContent | undefined,
  earlier: Readonly<Record<string, string>>,
): WithFindings<CompiledBuild> {
  const findings: Finding[] = [];
  const from: Record<string, string> = {};
  let value = build;
  for (const name of before ? Object.keys(build.source.carried) : []) {
    const [key = '', ...rest] = name.split('/');
    const content = before?.datasets.get(key);
    const place = { file: `${build.source.folder}/build.json`, pointer: pointerTo('/carried', name) };
    if (rest.length > 0) {
      const id = rest.join('/');
      const records = before ? textsOf(key, before).map(parseRecord) : [];
      // If several records have the id, the first is replaced and the others are left out.
      const earlier = records.filter((record) => record.id === id);
      let isThere = earlier.length > 0;
      value = changeRecords(value, key, id, () => {
        isThere = true;
        return earlier.shift();
      });
      const found = `a carried record "${name}", which neither this build nor the one before has`;
      if (!isThere) findings.push(errorAt('build-definition', place, found, 'the list and id of a record'));
      continue;
    }
    const own = value.datasets.find((dataset) => dataset.key === key);
    if (content === undefined && !(own ?? build.trace.mapping.datasets.get(key))) {
      const there = [...(before?.datasets.keys() ?? [])];
      const found = `a carried dataset "${key}", which neither this build nor the one before has`;
      const expected = there.join(', ') || 'no carried dataset, because the build before has no datasets';
      findings.push(errorAt('build-definition', place, found, expected, suggestFix(key, there).fix));
    }
    const datasets = value.datasets.filter((dataset) => dataset !== own);
    if (content) datasets.push(decodeDataset(key, content, own?.place ?? place));
    if (content) from[key] = ownValue(earlier, key) ?? before?.build ?? '';
    value = { ...value, datasets: datasets.sort((a, b) => (a.key < b.key ? -1 : 1)) };
  }
  return { value: Object.keys(from).length > 0 ? { ...value, carriedFrom: from } : value, findings };
}

function decodeDataset(key: string, content: DatasetContent, place: Place): CompiledDataset {
  if (content.kind === 'object') return { key, place, kind: 'object', object: parseRecord(content.text) };
  const records = content.records.map((text) => ({ record: parseRecord(text), place, raw: false }));
  return { key, place, kind: 'list', records };
}

/**
 * Changes the records with an id in a list, or the single object of a dataset. Attributes of the roster entry follow those of the full record; the
 * entry also gets those that the record lacked, if other entries have them.
 *
 * @param change returns undefined to leave the record out
 */
function changeRecords(
  build: CompiledBuild,
  collection: string,
  id: string | undefined,
  change: (record: JsonObject) => JsonObject | undefined,
): CompiledBuild {
  const changed = (each: CompiledRecord): CompiledRecord[] => {
    if (each.record.id !== id) return [each];
    const record = change(each.record);
    return record ? [{ ...each, record }] : [];
  };
  if (collection === 'characters') {
    const roster: JsonObject[] = [];
    const characters = build.characters.flatMap((each, at) => {
      const entry = build.roster[at] ?? {};
      const now = changed(each);
      const isInEntry = (name: string) =>
        Object.hasOwn(entry, name) ||
        (!Object.hasOwn(each.record, name) && build.roster.some((other) => Object.hasOwn(other, name)));
      for (const { record } of now)
        roster.push(
          record === each.record
            ? entry
            : Object.fromEntries(Object.entries(record).filter(([name]) => isInEntry(name))),
        );
      return now;
    });
    return { ...build, characters, roster };
  }
  const datasets = build.datasets.map((dataset): CompiledDataset => {
    if (dataset.key !== collection) return dataset;
    if (dataset.kind === 'list') return { ...dataset, records: dataset.records.flatMap(changed) };
    return { ...dataset, object: change(dataset.object) ?? dataset.object };
  });
  return { ...build, datasets };
}

/** Returns the object that an attribute belongs to, or would; undefined if that is inside a list or a scalar. */
function ownerOf(record: JsonObject, names: readonly string[]): JsonObject | undefined {
  let owner = record;
  for (const name of names.slice(0, -1)) {
    const inside = ownValue(owner, name) ?? {};
    if (!isObject(inside)) return undefined;
    owner = inside;
  }
  return owner;
}

function setAt(object: JsonObject, [name = '', ...rest]: readonly string[], value: Json): JsonObject {
  const inside = ownValue(object, name);
  const below = isObject(inside) ? inside : {};
  return sortAttributes({ ...object, [name]: rest.length === 0 ? value : setAt(below, rest, value) });
}

/** The canonical text of a value, equal for equal values; null for none. */
function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(canonicalise(value).value);
}
