import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';
import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Finding } from '../findings/findings.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import type { BuildProfile, ListProfile } from './profile/profile.ts';
import { nameSome } from './step.ts';

const ROSTER = 'characters';
/** The share of the texts of an attribute that are ids of a dataset, from which it refers to it. */
const REFERENCE_SHARE = 0.8;
const MIN_REFERENCES = 3;

/** The texts of an attribute beside the ids of a dataset. */
interface Reference {
  key: string;
  hits: number;
  /** Those that are no ids of it. */
  missing: Set<string>;
  texts: number;
}

/**
 * Whether a build can do with a dataset as it was in the build before: one that both have, and to which the roster does not refer. It is asked only
 * for builds in which something is found.
 */
export function canCarry(list: string, before: BuildProfile, after: BuildProfile): boolean {
  const [dataset, roster] = [before.lists.get(list), after.lists.get(ROSTER)];
  if (list === ROSTER || dataset === undefined || roster === undefined) return false;
  return findReferences(roster, dataset).length === 0;
}

/** Finds carried datasets to which the roster refers, or that lack a record to which a dataset refers that is not carried. */
export function findWrongCarried(
  { source, carriedFrom = {} }: CompiledBuild,
  after: BuildProfile,
): Finding[] {
  return Object.keys(carriedFrom).flatMap((key): Finding[] => {
    const place = { file: `${source.folder}/build.json`, pointer: pointerTo('/carried', key) };
    const dataset = after.lists.get(key);
    if (dataset === undefined) return [];
    const wrong = (found: string, expected: string): Finding => ({
      ...{ check: 'build-definition', severity: 'error', place, found, expected },
      fix: `remove "${key}" from "carried"`,
    });
    return [...after.lists.values()].flatMap((list): Finding[] => {
      if (Object.hasOwn(carriedFrom, list.list)) return [];
      return findReferences(list, dataset).flatMap(({ key: attribute, missing }) => {
        if (list.list === ROSTER)
          return wrong(
            `"${key}", to which "${attribute}" of the characters refers`,
            'datasets to which the roster does not refer',
          );
        if (missing.size === 0) return [];
        const found = `"${attribute}" of ${list.list} with ids that the carried dataset "${key}" lacks: ${nameSome([...missing])}`;
        return wrong(found, 'a carried dataset with all records that others name');
      });
    });
  });
}

/** The attributes of a list whose texts are ids of a dataset, nearly always. */
function findReferences({ records }: ListProfile, { byId }: ListProfile): Reference[] {
  if (byId === undefined) return [];
  const references = new Map<string, Reference>();
  const visit = (key: string, value: Json): void => {
    if (Array.isArray(value)) for (const element of value) visit(key, element);
    else if (isObject(value)) visitObject(`${key}.`, value);
    else if (typeof value === 'string' && value !== '') {
      const reference = references.get(key) ?? { key, hits: 0, missing: new Set(), texts: 0 };
      references.set(key, reference);
      reference.texts++;
      if (byId.has(value)) reference.hits++;
      else reference.missing.add(value);
    }
  };
  const visitObject = (prefix: string, object: JsonObject): void => {
    for (const [name, value] of Object.entries(object))
      if (prefix !== '' || name !== 'id') visit(`${prefix}${name}`, value);
  };
  for (const record of records) visitObject('', record);
  return [...references.values()].filter(
    ({ hits, texts }) => hits >= MIN_REFERENCES && hits >= texts * REFERENCE_SHARE,
  );
}
