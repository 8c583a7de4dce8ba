import path from 'node:path';
import {
  type CompiledBuild,
  type CompiledDataset,
  type CompiledRecord,
  canonicalise,
  sortAttributes,
} from '../compile/compile-build.ts';
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

const ROSTER = 'characters';
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
  let corrected = value;
  for (const correction of corrections) {
    // Carried records have the corrections of their own build.
    if (Object.hasOwn(carried, correction.collection)) continue;
    const upstream = findUpstream(corrected, correction);
    if ('fault' in upstream) findings.push(...report(build, correction, upstream.fault));
    else if (upstream.record !== undefined) {
      const key = `${targetOf(correction)} ${correction.since}`;
      const now = textOf(upstream.value);
      findings.push(...report(build, correction, judge(correction, build, upstream.value, before[key])));
      soFar[key] = now;
      if (now !== textOf(correction.value)) corrected = replaceValue(corrected, correction);
    }
  }
  const carriedMark = value.carriedFrom && { [CARRIED]: value.carriedFrom };
  return { value: { build: corrected, soFar: { ...soFar, ...carriedMark } }, findings };
}

/** A fault of a correction: the member of it that is wrong, as a JSON Pointer, and the texts of the finding. */
type Fault = readonly [
  at: string,
  found: string,
  expected: string,
  fix?: string | undefined,
  severity?: Finding['severity'],
];

function report(build: CompiledBuild, { pointer }: Correction, fault: Fault | undefined): Finding[] {
  if (fault === undefined) return [];
  const [at, found, expected, fix, severity = 'error'] = fault;
  const file = path.posix.join(path.posix.dirname(build.source.folder), CORRECTIONS_FILE);
  return [{ ...errorAt('corrections', { file, pointer: pointer + at }, found, expected, fix), severity }];
}

function replaceValue(build: CompiledBuild, { collection, id, attribute, value }: Correction): CompiledBuild {
  const names = attribute.split('.');
  const right = canonicalise(value).value as Json;
  return changeRecords(build, collection, id, (record) => setAt(record, names, right), names[0]);
}

/** What upstream has where a correction belongs. Without a record, later builds do not have it any more, and nothing is to be corrected. */
type Upstream = { fault: Fault } | { record: JsonObject | undefined; value?: Json | undefined };

function findUpstream(build: CompiledBuild, { collection, id, attribute, since }: Correction): Upstream {
  const isFirst = build.source.build === since;
  const dataset = build.datasets.find(({ key }) => key === collection);
  const isOne = dataset?.kind === 'object';
  const compiled = collection === ROSTER ? build.characters : isOne ? [] : (dataset?.records ?? []);
  const records = isOne ? [dataset.object] : compiled.map(({ record }) => record);
  const record = records.find((each) => (isOne ? id === undefined : id !== undefined && each.id === id));
  if (record === undefined) {
    if (!isFirst) return { record };
    if (collection !== ROSTER && dataset === undefined) {
      const found = `no dataset "${collection}" in build ${since}`;
      return { fault: ['/collection', found, '"characters" or the key of a dataset'] };
    }
    const found = id === undefined ? 'no "id"' : `no record "${id}" in ${collection} of build ${since}`;
    const expected = isOne ? 'no id: it is one object' : `the id of a record of ${collection}`;
    return { fault: [id === undefined ? '' : '/id', found, expected] };
  }
  const names = attribute.split('.');
  const value = valueAt(record, names);
  if (value === OUT_OF_REACH || attribute === 'id') {
    const expected = 'an attribute that is reached through objects, other than the id';
    const fix = 'correct the list that it is inside, as a whole';
    return { fault: ['/attribute', `${attribute}, which cannot be corrected`, expected, fix] };
  }
  if (!isFirst || records.some((each) => !EMPTY.has(valueAt(each, names)))) return { record, value };
  const known = new Set<string>();
  for (const each of records) eachAttribute(each, (key) => known.add(key));
  const of = collection === ROSTER ? 'characters' : `dataset "${collection}"`;
  const found = `${attribute}, which nothing in ${of} has in build ${since}`;
  return { fault: ['/attribute', found, 'an attribute that is served', suggestFix(attribute, known).fix] };
}

/** Judges an upstream value. @param before its text in the previous build; undefined in the first corrected one */
function judge(
  correction: Correction,
  { source: { build } }: CompiledBuild,
  upstream: Json | undefined,
  before: unknown,
): Fault | undefined {
  const { collection, id, attribute, since, value } = correction;
  const target = `${attribute} of ${id === undefined ? collection : `"${id}" in ${collection}`}`;
  const now = textOf(upstream);
  const agrees = now === textOf(value);
  if (before === now || (before === undefined && !agrees)) return undefined;
  const wrong = 'a value that upstream has wrong';
  if (before === undefined)
    return [
      '',
      `a correction of ${target}, which upstream has right since ${since}`,
      wrong,
      'remove it',
      'warning',
    ];
  const until = `add "until": ${JSON.stringify(build)} to`;
  if (agrees) {
    const found = `a correction of ${target}, with which upstream agrees since ${build}`;
    const fix = `${until} it, so that later changes of the game are served; or remove it, if no released build needs it`;
    return ['', found, wrong, fix, 'warning'];
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
 * Replaces the carried datasets and records of a build by those of the previous build; a record that the previous build lacks is left out.
 *
 * @param before undefined for the first build, or if earlier builds were left out
 * @param earlier the builds from which the previous build took its datasets
 */
export function carryDatasets(
  build: CompiledBuild,
  before: BuildContent | undefined,
  earlier: Readonly<Record<string, string>>,
): WithFindings<CompiledBuild> {
  const all = Object.keys(build.source.carried);
  const findings: Finding[] = [];
  if (before === undefined || all.length === 0) return { value: build, findings };
  let value = build;
  for (const key of all) {
    const slash = key.indexOf('/');
    if (slash >= 0) value = carryRecord(value, before, key.slice(0, slash), key.slice(slash + 1));
  }
  const from: Record<string, string> = {};
  const datasets = new Map(value.datasets.map((dataset) => [dataset.key, dataset]));
  for (const key of all.filter((each) => !each.includes('/'))) {
    const place = { file: `${build.source.folder}/build.json`, pointer: pointerTo('/carried', key) };
    const content = before.datasets.get(key);
    if (content === undefined) {
      const found = `a carried dataset "${key}", which build ${before.build} does not have`;
      const expected = `a dataset of build ${before.build}: ${[...before.datasets.keys()].join(', ')}`;
      const { fix } = suggestFix(key, before.datasets.keys());
      findings.push(errorAt('build-definition', place, found, expected, fix));
      continue;
    }
    datasets.set(key, decodeDataset(key, content, datasets.get(key)?.place ?? place));
    from[key] = ownValue(earlier, key) ?? before.build;
  }
  const sorted = [...datasets.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  const carriedFrom = Object.keys(from).length > 0 && { carriedFrom: from };
  return { value: { ...value, datasets: sorted, ...carriedFrom }, findings };
}

function decodeDataset(key: string, content: DatasetContent, place: Place): CompiledDataset {
  if (content.kind === 'object') return { key, place, kind: 'object', object: parseRecord(content.text) };
  const records = content.records.map((text) => ({ record: parseRecord(text), place, raw: false }));
  return { key, place, kind: 'list', records };
}

function carryRecord(build: CompiledBuild, before: BuildContent, list: string, id: string): CompiledBuild {
  const dataset = before.datasets.get(list);
  const texts = list === ROSTER ? before.characters : dataset?.kind === 'list' ? dataset.records : [];
  let earlier = texts.map(parseRecord).find((record) => record.id === id);
  // If several records have the id, the first is replaced and the others are left out.
  return changeRecords(build, list, id, () => {
    const record = earlier;
    earlier = undefined;
    return record;
  });
}

/**
 * Changes the records with an id in a list, or the single object of a dataset, which has no id. Attributes of the roster entry follow those of the
 * full record.
 *
 * @param change returns undefined to leave the record out
 * @param added an attribute that the entry also gets if the record lacks it
 */
function changeRecords(
  build: CompiledBuild,
  collection: string,
  id: string | undefined,
  change: (record: JsonObject) => JsonObject | undefined,
  added?: string,
): CompiledBuild {
  const changed = (each: CompiledRecord): CompiledRecord | undefined => {
    if (id === undefined || each.record.id !== id) return each;
    const record = change(each.record);
    return record && { ...each, record };
  };
  if (collection === ROSTER) {
    const characters: CompiledRecord[] = [];
    const roster: JsonObject[] = [];
    for (const [at, each] of build.characters.entries()) {
      const entry = build.roster[at] ?? {};
      const now = changed(each);
      if (now === undefined) continue;
      const isInEntry = (name: string) =>
        Object.hasOwn(entry, name) || (name === added && !Object.hasOwn(each.record, name));
      const attributes = Object.entries(now.record).filter(([name]) => isInEntry(name));
      characters.push(now);
      roster.push(now === each ? entry : Object.fromEntries(attributes));
    }
    return { ...build, characters, roster };
  }
  const datasets = build.datasets.map((dataset): CompiledDataset => {
    if (dataset.key !== collection) return dataset;
    if (dataset.kind === 'list')
      return { ...dataset, records: dataset.records.flatMap((each) => changed(each) ?? []) };
    return id === undefined ? { ...dataset, object: change(dataset.object) ?? dataset.object } : dataset;
  });
  return { ...build, datasets };
}

/** Marks an attribute inside a list or a scalar. */
const OUT_OF_REACH = Symbol('out of reach');
/** What is no value. */
const EMPTY: ReadonlySet<unknown> = new Set([undefined, null, OUT_OF_REACH]);

function valueAt(record: JsonObject, names: readonly string[]): Json | undefined | typeof OUT_OF_REACH {
  let part: Json | undefined = record;
  for (const name of names) {
    if (part === undefined) return undefined;
    if (!isObject(part)) return OUT_OF_REACH;
    part = ownValue(part, name);
  }
  return part;
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
