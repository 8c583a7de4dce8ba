import path from 'node:path';
import { describeKind, equalKinds, kindOf } from '../check/rules.ts';
import {
  type CompiledBuild,
  type CompiledDataset,
  type CompiledRecord,
  canonicalise,
  sortAttributes,
} from '../compile/compile-build.ts';
import { errorAt, type Finding, type Place, quoteValue, type WithFindings } from '../findings.ts';
import type { BuildContent, DatasetContent } from '../format/build-content.ts';
import { isObject, type Json, type JsonObject, ownValue, parseRecord } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { suggestFix } from '../text.ts';
import { CORRECTIONS_FILE, type Correction, targetOf, UNTIL_AGREED } from './corrections.ts';

/** The upstream values in the builds so far, by correction. It is JSON, because the memo of builds stores it. */
export type CorrectedSoFar = Readonly<Record<string, unknown>>;

/** A corrected build, and the upstream values after it. */
export interface CorrectedBuild {
  build: CompiledBuild;
  soFar: CorrectedSoFar;
}

/** The upstream value that a correction replaces, as JSON text; null for none. `agreed` after upstream had the right value. */
interface Upstream {
  value: string | null;
  agreed: boolean;
}

type SoFar = Readonly<Record<string, Upstream>>;

const ROSTER = 'characters';
/** The key of carried datasets; no collection has a space in its name. */
const CARRIED = ' carried';

/** Replaces wrong upstream values by those of corrections.json. The build's records are not modified: corrected ones are copies. */
export function applyCorrections(
  build: CompiledBuild,
  { [CARRIED]: earlier = {}, ...soFar }: CorrectedSoFar,
  before?: BuildContent,
): WithFindings<CorrectedBuild> {
  const { corrections, carried } = build.source;
  const { value, findings } = carryDatasets(build, before, earlier as Readonly<Record<string, string>>);
  const corrector = new Corrector(value, soFar as SoFar, findings);
  // Carried records have the corrections of their own build.
  for (const correction of corrections)
    if (!Object.hasOwn(carried, correction.collection)) corrector.apply(correction);
  const carriedMark = value.carriedFrom && { [CARRIED]: value.carriedFrom };
  return { value: { build: corrector.build, soFar: { ...corrector.soFar, ...carriedMark } }, findings };
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

/** Applies corrections to a build, one after another. */
class Corrector {
  build: CompiledBuild;
  readonly soFar: Record<string, Upstream>;
  readonly #before: SoFar;
  readonly #findings: Finding[];

  constructor(build: CompiledBuild, soFar: SoFar, findings: Finding[]) {
    this.build = build;
    this.#before = soFar;
    this.soFar = { ...soFar };
    this.#findings = findings;
  }

  apply(correction: Correction): void {
    const { collection, id, attribute, since } = correction;
    const record = this.#find(correction);
    if (record === undefined) return;
    const names = attribute.split('.');
    const upstream = valueAt(record, names);
    if (upstream === OUT_OF_REACH || attribute === 'id') {
      const found = `${attribute}, which cannot be corrected`;
      const expected = 'an attribute that is reached through objects, other than the id';
      const fix = 'correct the list that it is inside, as a whole';
      this.#report(correction, '/attribute', found, expected, fix);
      return;
    }
    if (since === this.build.source.build && !this.#fits(correction, names)) return;
    if (!this.#isDue(correction, upstream)) return;
    const right = canonicalise(correction.value).value as Json;
    const change = (each: JsonObject) => setAt(each, names, right);
    this.build = changeRecords(this.build, collection, id, change, names[0]);
  }

  /** Whether the collection has the attribute, with values of that kind; reports it otherwise. */
  #fits(correction: Correction, names: readonly string[]): boolean {
    const { collection, id, attribute, since, value } = correction;
    const records = this.#recordsOf(collection);
    const valuesOf = (record: JsonObject) => {
      const present = valueAt(record, names);
      return present === undefined || present === OUT_OF_REACH || present === null ? [] : [present];
    };
    if (records.length > 0 && records.flatMap(valuesOf).length === 0) {
      const of = collection === ROSTER ? 'characters' : `dataset "${collection}"`;
      const { fix } = suggestFix(attribute, new Set(records.flatMap((record) => eachKey(record))));
      const found = `${attribute}, which nothing in ${of} has in build ${since}`;
      this.#report(correction, '/attribute', found, 'an attribute that is served', fix);
      return false;
    }
    const others = records.filter((record) => record.id !== id).flatMap(valuesOf);
    const [kind = 0, ...kinds] = new Set(others.map(kindOf));
    if (value === null || kind === 0 || kinds.length > 0 || equalKinds(kind, kindOf(value))) return true;
    const found = `${quoteValue(value)} for ${describeTarget(correction)}`;
    this.#report(
      correction,
      '/value',
      found,
      `${describeKind(kind)}, as other records of ${collection} have`,
    );
    return false;
  }

  /** Whether a correction must replace the upstream value. Remembers that value, and reports if it has changed. */
  #isDue(correction: Correction, upstream: Json | undefined): boolean {
    const target = describeTarget(correction);
    const { since, value, until } = correction;
    const key = `${targetOf(correction)} ${since}`;
    const { build } = this.build.source;
    const before = ownValue(this.#before, key);
    const isEnding = until === UNTIL_AGREED;
    if (isEnding && before?.agreed) return false;
    const now = textOf(upstream);
    const agrees = now === textOf(value);
    this.soFar[key] = { value: now, agreed: agrees || before?.agreed === true };
    const wrong = 'a value that upstream has wrong';
    if (agrees && before === undefined) {
      const found = `a correction of ${target}, which upstream has right since ${since}`;
      this.#report(correction, '', found, wrong, 'remove it', 'warning');
    } else if (agrees && !isEnding && !before?.agreed) {
      const found = `a correction of ${target}, with which upstream agrees since ${build}`;
      const fix = `add "until": ${JSON.stringify(build)} to it, so that later changes of the game are served; or remove it, if no released build needs it`;
      this.#report(correction, '', found, wrong, fix, 'warning');
    } else if (!agrees && before !== undefined && before.value !== now) {
      const was = before.value === null ? undefined : JSON.parse(before.value);
      const { pointer: _, until: __, ...again } = { ...correction, since: build, reason: '…' };
      this.#report(
        correction,
        '/value',
        `upstream changed ${target} to ${quoteValue(upstream)} in build ${build}`,
        `${quoteValue(was)}, as when it was corrected, or ${quoteValue(value)}, the right value`,
        `look again: if the game changed it, add "until": ${JSON.stringify(build)} to the correction; if upstream is still wrong, add ${JSON.stringify(again)} to "corrections"`,
      );
    }
    return !agrees;
  }

  #report(
    { pointer }: Correction,
    below: string,
    found: string,
    expected: string,
    fix?: string,
    severity: Finding['severity'] = 'error',
  ): void {
    const file = path.posix.join(path.posix.dirname(this.build.source.folder), CORRECTIONS_FILE);
    const place = { file, pointer: pointer + below };
    this.#findings.push({ ...errorAt('corrections', place, found, expected, fix), severity });
  }

  /** Returns the record of a correction; undefined, with a finding in the first corrected build, if it does not exist. */
  #find(correction: Correction): JsonObject | undefined {
    const { collection, id, since } = correction;
    const dataset = this.#datasetOf(collection);
    const isObjectDataset = dataset?.kind === 'object';
    const record = isObjectDataset
      ? id === undefined && dataset.object
      : this.#recordsOf(collection).find((each) => id !== undefined && each.id === id);
    // A record that later builds no longer have needs no correction.
    if (record || this.build.source.build !== since) return record || undefined;
    if (collection !== ROSTER && dataset === undefined) {
      const found = `no dataset "${collection}" in build ${since}`;
      this.#report(correction, '/collection', found, '"characters" or the key of a dataset');
    } else if (isObjectDataset)
      this.#report(correction, '/id', `an id, but ${collection} is one object`, 'no id', 'remove it');
    else if (id === undefined) this.#report(correction, '', 'no "id"', `the id of a record of ${collection}`);
    else {
      const found = `no record "${id}" in ${collection} of build ${since}`;
      this.#report(correction, '/id', found, 'the id of a record');
    }
    return undefined;
  }

  #datasetOf(collection: string): CompiledDataset | undefined {
    return this.build.datasets.find(({ key }) => key === collection);
  }

  #recordsOf(collection: string): readonly JsonObject[] {
    const dataset = this.#datasetOf(collection);
    if (dataset?.kind === 'object') return [dataset.object];
    const compiled = collection === ROSTER ? this.build.characters : (dataset?.records ?? []);
    return compiled.map(({ record }) => record);
  }
}

/** The dotted keys of an object, including those of nested objects. */
function eachKey(object: JsonObject, prefix = ''): string[] {
  return Object.entries(object).flatMap(([name, value]) => [
    prefix + name,
    ...(isObject(value) ? eachKey(value, `${prefix}${name}.`) : []),
  ]);
}

/** Marks an attribute inside a list or a scalar. */
const OUT_OF_REACH = Symbol('out of reach');

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

function describeTarget({ collection, id, attribute }: Correction): string {
  return `${attribute} of ${id === undefined ? collection : `"${id}" in ${collection}`}`;
}
