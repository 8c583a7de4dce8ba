import type { CompiledBuild } from '../../compile/compile-build.ts';
import type { BuildContent } from '../../format/build-content.ts';
import { eachAttribute, isObject, type Json, type JsonObject } from '../../format/dist-format.ts';
import { type Kind, kindOf } from '../kinds.ts';
import { profileValues, type ValueProfile } from './value-profile.ts';

/** An attribute in all records of a list. */
export interface AttributeProfile {
  path: readonly string[];
  /** The kind of the first value; undefined if all values are null or empty lists. */
  kind: Kind | undefined;
  /** The position of the record with that value, or of the first record that has the attribute. */
  first: number;
  /** How many records have a value that is not empty (`isEmpty`). */
  filled: number;
}

/** The records of a list, or an object as a list of one record, and their attributes. */
export interface ListProfile {
  /** `characters` or the key of the dataset. */
  list: string;
  kind: 'list' | 'object';
  records: readonly JsonObject[];
  /** By id; undefined if a record has none. */
  byId: ReadonlyMap<string, JsonObject> | undefined;
  /** By dotted key; an object comes before its attributes. */
  attributes: ReadonlyMap<string, AttributeProfile>;
  /** By dotted key: numbers and texts, those inside lists included. */
  values: ReadonlyMap<string, ValueProfile>;
}

/** The parts of a build that gates compare: its lists and objects by name, without their places in raw files. */
export interface BuildProfile {
  build: string;
  lists: ReadonlyMap<string, ListProfile>;
}

/** Makes the profile that the gates to and from a build need, in one pass over its records. */
export function profileBuild({ source, characters, datasets }: CompiledBuild): BuildProfile {
  const recordsOf = (records: readonly { record: JsonObject }[]) => records.map(({ record }) => record);
  return profileLists(source.build, [
    profileList('characters', 'list', recordsOf(characters)),
    ...datasets.map((dataset) =>
      profileList(
        dataset.key,
        dataset.kind,
        dataset.kind === 'list' ? recordsOf(dataset.records) : [dataset.object],
      ),
    ),
  ]);
}

/** Makes the profile of a build in its encoded form. */
export function profileContent({ build, characters, datasets }: BuildContent): BuildProfile {
  const parse = (text: string) => JSON.parse(text) as JsonObject;
  return profileLists(build, [
    profileList('characters', 'list', characters.map(parse)),
    ...[...datasets].map(([key, dataset]) =>
      profileList(
        key,
        dataset.kind,
        dataset.kind === 'list' ? dataset.records.map(parse) : [parse(dataset.text)],
      ),
    ),
  ]);
}

function profileLists(build: string, lists: readonly ListProfile[]): BuildProfile {
  return { build, lists: new Map(lists.map((profile) => [profile.list, profile])) };
}

function profileList(list: string, kind: 'list' | 'object', records: readonly JsonObject[]): ListProfile {
  const attributes = new Map<string, AttributeProfile>();
  for (const [position, record] of records.entries()) {
    eachAttribute(record, (key, value, path) => {
      let attribute = attributes.get(key);
      if (attribute === undefined) {
        attribute = { path: [...path], kind: undefined, first: position, filled: 0 };
        attributes.set(key, attribute);
      }
      if (attribute.kind === undefined) {
        attribute.kind = kindOf(value);
        if (attribute.kind) attribute.first = position;
      }
      if (!isEmpty(value)) attribute.filled++;
    });
  }
  const byId = kind === 'list' ? indexById(records) : undefined;
  return { list, kind, records, byId, attributes, values: profileValues(records) };
}

function indexById(records: readonly JsonObject[]): Map<string, JsonObject> | undefined {
  const byId = new Map<string, JsonObject>();
  for (const record of records) {
    if (typeof record.id !== 'string') return undefined;
    byId.set(record.id, record);
  }
  return byId;
}

/** Whether a value is empty, as from a broken source: none, null, zero, or an empty text, list or object. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === 0 || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
