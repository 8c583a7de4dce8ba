import type { CompiledBuild } from '../../compile/compile-build.ts';
import type { BuildContent } from '../../format/build-content.ts';
import { type JsonObject, parseRecord } from '../../format/dist-format.ts';
import type { TextSurvey } from '../content/text-survey.ts';
import type { AttributeProfile } from './attribute-profile.ts';
import { RecordSurvey } from './record-survey.ts';
import type { ValueProfile } from './value-profile.ts';

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
  /** The texts of each attribute. */
  texts: readonly TextSurvey[];
  /** Whether attributes may have values of several kinds, and whether names of attributes contain dots: then dotted keys do not tell them apart. */
  hasMixedKinds: boolean;
  hasDots: boolean;
}

/** The parts of a build that gates compare: its lists and objects by name, without their places in raw files. */
export interface BuildProfile {
  build: string;
  lists: ReadonlyMap<string, ListProfile>;
}

/**
 * Makes the profile that the checks of a build need, in one pass over its records.
 *
 * @param before the build before; the profile of a list that has the same records is used again
 */
export function profileBuild(
  { source, characters, datasets }: CompiledBuild,
  before?: BuildProfile,
): BuildProfile {
  const recordsOf = (records: readonly { record: JsonObject }[]) => records.map(({ record }) => record);
  const profile = (list: string, kind: ListProfile['kind'], records: readonly JsonObject[]) => {
    const listBefore = before?.lists.get(list);
    return listBefore && hasSameRecords(listBefore, kind, records)
      ? listBefore
      : profileList(list, kind, records, source.language);
  };
  return profileLists(source.build, [
    profile('characters', 'list', recordsOf(characters)),
    ...datasets.map((dataset) =>
      profile(
        dataset.key,
        dataset.kind,
        dataset.kind === 'list' ? recordsOf(dataset.records) : [dataset.object],
      ),
    ),
  ]);
}

/** Whether a list has the same records: most mapped records are the same objects from build to build. */
function hasSameRecords(
  listBefore: ListProfile,
  kind: ListProfile['kind'],
  records: readonly JsonObject[],
): boolean {
  const isSame = listBefore.kind === kind && listBefore.records.length === records.length;
  return isSame && records.every((record, position) => record === listBefore.records[position]);
}

/** Makes the profile of a build in its encoded form. */
export function profileContent({ build, characters, datasets }: BuildContent): BuildProfile {
  return profileLists(build, [
    profileList('characters', 'list', characters.map(parseRecord)),
    ...[...datasets].map(([key, dataset]) =>
      profileList(
        key,
        dataset.kind,
        dataset.kind === 'list' ? dataset.records.map(parseRecord) : [parseRecord(dataset.text)],
      ),
    ),
  ]);
}

function profileLists(build: string, lists: readonly ListProfile[]): BuildProfile {
  return { build, lists: new Map(lists.map((profile) => [profile.list, profile])) };
}

function profileList(
  list: string,
  kind: 'list' | 'object',
  records: readonly JsonObject[],
  language?: string,
): ListProfile {
  const { attributes, values, texts, hasMixedKinds, hasDots } = new RecordSurvey(records, language);
  const byId = kind === 'list' ? indexById(records) : undefined;
  return { list, kind, records, byId, attributes, values, texts, hasMixedKinds, hasDots };
}

function indexById(records: readonly JsonObject[]): Map<string, JsonObject> | undefined {
  const byId = new Map<string, JsonObject>();
  for (const record of records) {
    if (typeof record.id !== 'string') return undefined;
    byId.set(record.id, record);
  }
  return byId;
}
