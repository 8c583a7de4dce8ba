import path from 'node:path';
import {
  canonicalise,
  type CompiledBuild,
  type CompiledDataset,
  sortAttributes,
} from '../compile/compile-build.ts';
import { type Finding, type Outcome, type Place, quoteValue } from '../findings.ts';
import type { BuildContent, DatasetContent } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, ownValue, parseRecord } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { type Correction, CORRECTIONS_FILE, UNTIL_AGREED } from './corrections.ts';
import { suggestFix } from '../text.ts';
import { targetOf } from './corrections.ts';

/**
 * Replaces the datasets and records that a build carries by those of the build before; a record that it does not have is left out.
 *
 * @param before undefined if the build is the first one, or if builds before it were left out
 * @param earlier from which builds the build before carried its datasets
 */
export function carryDatasets(
  build: CompiledBuild,
  before: BuildContent | undefined,
  earlier: Readonly<Record<string, string>>,
): Outcome<CompiledBuild> {
  const all = Object.keys(build.source.carried);
  if (before === undefined || all.length === 0) return { value: build, findings: [] };
  const keys = all.filter((key) => !key.includes('/'));
  for (const key of all)
    if (key.includes('/'))
      build = carryRecord(build, before, key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1));
  const findings: Finding[] = [];
  const from: Record<string, string> = {};
  const datasets = new Map(build.datasets.map((dataset) => [dataset.key, dataset]));
  for (const key of keys) {
    const place = { file: `${build.source.folder}/build.json`, pointer: pointerTo('/carried', key) };
    const content = before.datasets.get(key);
    if (content === undefined) findings.push(unknownDataset(key, place, before));
    else {
      datasets.set(key, decodeDataset(key, content, datasets.get(key)?.place ?? place));
      from[key] = ownValue(earlier, key) ?? before.build;
    }
  }
  const sorted = [...datasets.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  const carriedFrom = keys.length > 0 && { carriedFrom: from };
  return { value: { ...build, datasets: sorted, ...carriedFrom }, findings };
}

function carryRecord(build: CompiledBuild, before: BuildContent, list: string, id: string): CompiledBuild {
  const isOther = ({ record }: { record: JsonObject }) => record.id !== id;
  const find = (texts: readonly string[] = []) => texts.map(parseRecord).find((record) => record.id === id);
  if (list === ROSTER) {
    const earlier = find(before.characters);
    const first = build.characters.findIndex((each) => !isOther(each));
    const { [first]: now } = build.characters;
    const characters: CompiledBuild['characters'] = [];
    const roster: JsonObject[] = [];
    for (const [at, each] of build.characters.entries()) {
      const { [at]: entry = {} } = build.roster;
      if (!isOther(each) && (at !== first || earlier === undefined)) continue;
      const names = Object.keys(entry).filter((name) => earlier && Object.hasOwn(earlier, name));
      const same = Object.fromEntries(names.map((name) => [name, earlier?.[name] ?? null]));
      characters.push(each === now && earlier ? { ...each, record: earlier } : each);
      roster.push(each === now && earlier ? same : entry);
    }
    return { ...build, characters, roster };
  }
  const content = before.datasets.get(list);
  const earlier = content?.kind === 'list' ? find(content.records) : undefined;
  const datasets = build.datasets.map((dataset) => {
    if (dataset.key !== list || dataset.kind !== 'list') return dataset;
    const at = dataset.records.findIndex((each) => !isOther(each));
    const { [at]: now } = dataset.records;
    const records = dataset.records.flatMap((each) =>
      each === now && earlier ? [{ ...each, record: earlier }] : isOther(each) ? [each] : [],
    );
    return { ...dataset, records };
  });
  return { ...build, datasets };
}

function decodeDataset(key: string, content: DatasetContent, place: Place): CompiledDataset {
  if (content.kind === 'object') return { key, place, kind: 'object', object: parseRecord(content.text) };
  const records = content.records.map((text) => ({ record: parseRecord(text), place, raw: false }));
  return { key, place, kind: 'list', records };
}

function unknownDataset(key: string, place: Place, { build, datasets }: BuildContent): Finding {
  return {
    check: 'build-definition',
    severity: 'error',
    place,
    found: `a carried dataset "${key}", which build ${build} does not have`,
    expected: `a dataset of build ${build}: ${[...datasets.keys()].join(', ')}`,
    ...suggestFix(key, datasets.keys()),
  };
}

/** What upstream had in the builds so far, by correction. It is JSON: the memo of builds keeps it. */
export type CorrectedSoFar = Readonly<Record<string, unknown>>;

/** A build with its corrections, and what is known of upstream after it. */
export interface CorrectedBuild {
  build: CompiledBuild;
  soFar: CorrectedSoFar;
}

/** What upstream has where a correction replaces it, as JSON text; null for nothing. `agreed` since upstream had the right value. */
interface Upstream {
  value: string | null;
  agreed: boolean;
}

type SoFar = Readonly<Record<string, Upstream>>;

/** Replaces what upstream has wrong by the values of corrections.json. The records of the build do not change: corrected ones are copies. */
export function applyCorrections(
  build: CompiledBuild,
  { [CARRIED]: earlier = {}, ...soFar }: CorrectedSoFar,
  before?: BuildContent,
): Outcome<CorrectedBuild> {
  const { corrections, carried } = build.source;
  const { value, findings } = carryDatasets(build, before, earlier as Readonly<Record<string, string>>);
  const corrector = new Corrector(value, soFar as SoFar);
  // Carried records have the corrections of their own build.
  for (const correction of corrections)
    if (!Object.hasOwn(carried, correction.collection)) corrector.apply(correction);
  const carriedMark = value.carriedFrom && { [CARRIED]: value.carriedFrom };
  return {
    value: { build: corrector.build, soFar: { ...corrector.soFar, ...carriedMark } },
    findings: [...findings, ...corrector.findings],
  };
}

/** What is remembered of carried datasets; no collection has a space in its name. */
const CARRIED = ' carried';

const ROSTER = 'characters';

/** Applies corrections to a build, one after another. */
class Corrector {
  readonly findings: Finding[] = [];
  readonly soFar: Record<string, Upstream>;
  readonly #before: SoFar;
  #build: CompiledBuild;

  constructor(build: CompiledBuild, soFar: SoFar) {
    this.#build = build;
    this.#before = soFar;
    this.soFar = { ...soFar };
  }

  get build(): CompiledBuild {
    return this.#build;
  }

  apply(correction: Correction): void {
    const record = this.#find(correction);
    if (record === undefined) return;
    const path = correction.attribute.split('.');
    const upstream = valueAt(record, path);
    if (upstream === OUT_OF_REACH || correction.attribute === 'id') {
      const found = `${correction.attribute}, which cannot be corrected`;
      const expected = 'an attribute that is reached through objects, other than the id';
      this.#report(
        correction,
        '/attribute',
        found,
        expected,
        'correct the list that it is inside, as a whole',
      );
      return;
    }
    if (correction.since === this.#build.source.build && !this.#fits(correction, path)) return;
    if (this.#isDue(correction, upstream)) this.#replace(correction, path);
  }

  /** Whether the collection has the attribute, and values of that kind; reports it otherwise. */
  #fits(correction: Correction, path: readonly string[]): boolean {
    const { collection, id, attribute, value } = correction;
    const records = this.#recordsOf(collection);
    const has = (record: JsonObject) => {
      const present = valueAt(record, path);
      return present === undefined || present === OUT_OF_REACH || present === null ? [] : [present];
    };
    if (records.length > 0 && !records.some((record) => has(record).length > 0)) {
      const keys = new Set(records.flatMap((record) => eachKey(record)));
      const of = collection === ROSTER ? 'characters' : `dataset "${collection}"`;
      const { fix } = suggestFix(attribute, keys);
      const found = `${attribute}, which nothing in ${of} has in build ${correction.since}`;
      this.#report(correction, '/attribute', found, 'an attribute that is served', fix);
      return false;
    }
    const others = records.filter((record) => record.id !== id).flatMap(has);
    const kinds = new Set(others.map(kindName));
    if (value === null || kinds.size !== 1 || kinds.has(kindName(value))) return true;
    const [kind] = kinds;
    const found = `${quoteValue(value)} for ${describeTarget(correction)}`;
    this.#report(correction, '/value', found, `${kind}, as other records of ${collection} have`);
    return false;
  }

  #recordsOf(collection: string): readonly JsonObject[] {
    const dataset = this.#datasetOf(collection);
    if (dataset?.kind === 'object') return [dataset.object];
    const compiled = collection === ROSTER ? this.#build.characters : (dataset?.records ?? []);
    return compiled.map(({ record }) => record);
  }

  /** Whether a correction has to replace what upstream has. Remembers that value, and reports if it is not what it was. */
  #isDue(correction: Correction, upstream: Json | undefined): boolean {
    const key = `${targetOf(correction)} ${correction.since}`;
    const { build } = this.#build.source;
    const before = Object.hasOwn(this.#before, key) ? this.#before[key] : undefined;
    const isEnding = correction.until === UNTIL_AGREED;
    if (isEnding && before?.agreed) return false;
    const now = textOf(upstream);
    const agrees = now === textOf(correction.value);
    this.soFar[key] = { value: now, agreed: agrees || before?.agreed === true };
    if (agrees) {
      if (before === undefined) this.#reportNeedless(correction);
      else if (!isEnding && !before.agreed) this.#reportAgreement(correction, build);
      return false;
    }
    if (before !== undefined && before.value !== now) this.#reportThird(correction, upstream, before);
    return true;
  }

  #reportNeedless(correction: Correction): void {
    const found = `a correction of ${describeTarget(correction)}, which upstream has right since ${correction.since}`;
    this.#report(correction, '', found, 'a value that upstream has wrong', 'remove it', 'warning');
  }

  #reportAgreement(correction: Correction, build: string): void {
    const found = `a correction of ${describeTarget(correction)}, with which upstream agrees since ${build}`;
    const fix = `add "until": ${JSON.stringify(build)} to it, so that later changes of the game are served; or remove it, if no released build needs it`;
    this.#report(correction, '', found, 'a value that upstream has wrong', fix, 'warning');
  }

  #reportThird(correction: Correction, upstream: Json | undefined, before: Upstream): void {
    const { build } = this.#build.source;
    const was = before.value === null ? undefined : (JSON.parse(before.value) as Json);
    const { pointer: _, until: __, ...again } = { ...correction, since: build, reason: '…' };
    this.#report(
      correction,
      '/value',
      `upstream changed ${describeTarget(correction)} to ${quoteValue(upstream)} in build ${build}`,
      `${quoteValue(was)}, as when it was corrected, or ${quoteValue(correction.value)}, the right value`,
      `look again: if the game changed it, add "until": ${JSON.stringify(build)} to the correction; if upstream is still wrong, add ${JSON.stringify(again)} to "corrections"`,
    );
  }

  #report(
    { pointer }: Correction,
    below: string,
    found: string,
    expected: string,
    fix?: string,
    severity: Finding['severity'] = 'error',
  ): void {
    const file = path.posix.join(path.posix.dirname(this.#build.source.folder), CORRECTIONS_FILE);
    const place = { file, pointer: pointer + below };
    this.findings.push({ check: 'corrections', severity, place, found, expected, ...(fix && { fix }) });
  }

  /** The record of a correction; undefined, with a finding in the first build that is corrected, if there is none. */
  #find(correction: Correction): JsonObject | undefined {
    const { collection, id, since } = correction;
    const dataset = this.#datasetOf(collection);
    const isObjectDataset = dataset?.kind === 'object';
    const records =
      collection === ROSTER ? this.#build.characters : dataset?.kind === 'list' ? dataset.records : [];
    const record =
      isObjectDataset && id === undefined
        ? dataset.object
        : records.find((each) => id !== undefined && each.record.id === id)?.record;
    // A record that later builds do not have any more needs no correction.
    if (record === undefined && this.#build.source.build === since) this.#reportMissing(correction, dataset);
    return record;
  }

  #reportMissing(correction: Correction, dataset: CompiledDataset | undefined): void {
    const { collection, id, since } = correction;
    if (collection !== ROSTER && dataset === undefined) {
      const found = `no dataset "${collection}" in build ${since}`;
      this.#report(correction, '/collection', found, '"characters" or the key of a dataset');
    } else if (dataset?.kind === 'object') {
      this.#report(correction, '/id', `an id, but ${collection} is one object`, 'no id', 'remove it');
    } else if (id === undefined) {
      this.#report(correction, '', 'no "id"', `the id of a record of ${collection}`);
    } else {
      const found = `no record "${id}" in ${collection} of build ${since}`;
      this.#report(correction, '/id', found, 'the id of a record');
    }
  }

  #datasetOf(collection: string): CompiledDataset | undefined {
    return this.#build.datasets.find(({ key }) => key === collection);
  }

  #replace({ collection, id, value }: Correction, path: readonly string[]): void {
    const right = canonicalise(value).value as Json;
    const build = this.#build;
    const withValue = (record: JsonObject) => setAt(record, path, right);
    if (collection === ROSTER) {
      const at = build.characters.findIndex(({ record }) => record.id === id);
      const characters = build.characters.map((each, index) =>
        index === at ? { ...each, record: withValue(each.record) } : each,
      );
      const roster = build.roster.map((entry, index) =>
        index === at && isInEntry(entry, build.characters[at]?.record, path) ? withValue(entry) : entry,
      );
      this.#build = { ...build, characters, roster };
      return;
    }
    const datasets = build.datasets.map((dataset): CompiledDataset => {
      if (dataset.key !== collection) return dataset;
      if (dataset.kind === 'object') return { ...dataset, object: withValue(dataset.object) };
      const records = dataset.records.map((each) =>
        each.record.id === id ? { ...each, record: withValue(each.record) } : each,
      );
      return { ...dataset, records };
    });
    this.#build = { ...build, datasets };
  }
}

/** The dotted keys of an object, in objects inside it too. */
function eachKey(object: JsonObject, prefix = ''): string[] {
  return Object.entries(object).flatMap(([name, value]) => [
    prefix + name,
    ...(isObject(value) ? eachKey(value, `${prefix}${name}.`) : []),
  ]);
}

function kindName(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : `a ${typeof value === 'string' ? 'text' : typeof value}`;
}

/** Whether the roster entry has the attribute too. One that upstream lacks is in both. */
function isInEntry(
  entry: JsonObject,
  record: JsonObject | undefined,
  [top = '']: readonly string[],
): boolean {
  return Object.hasOwn(entry, top) || record === undefined || !Object.hasOwn(record, top);
}

/** Marks an attribute inside a list or a scalar. */
const OUT_OF_REACH = Symbol('out of reach');

function valueAt(record: JsonObject, path: readonly string[]): Json | undefined | typeof OUT_OF_REACH {
  let part: Json | undefined = record;
  for (const name of path) {
    if (part === undefined) return undefined;
    if (!isObject(part)) return OUT_OF_REACH;
    part = Object.hasOwn(part, name) ? part[name] : undefined;
  }
  return part;
}

function setAt(object: JsonObject, [name = '', ...rest]: readonly string[], value: Json): JsonObject {
  const below = Object.hasOwn(object, name) && isObject(object[name]) ? object[name] : {};
  return sortAttributes({ ...object, [name]: rest.length === 0 ? value : setAt(below, rest, value) });
}

/** A value as text that is the same for equal values; null for nothing. */
function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(canonicalise(value).value);
}

function describeTarget({ collection, id, attribute }: Correction): string {
  return `${attribute} of ${id === undefined ? collection : `"${id}" in ${collection}`}`;
}
