// biome-ignore-all format: a member is a line, with what it means

import { FOLDED } from '../../scripts/diff/diff-builds.ts';
import { MAX_MEMBERS } from '../../scripts/diff/history.ts';
import { BUILD_NAME, BULK_TRAITS, SLUG } from '../../scripts/format/dist-format.ts';
import type { JsonSchema } from '../api/route.ts';

// The vocabulary of the schemas.
export const text = { type: 'string' };
export const number = { type: 'number' };
export const flag = { type: 'boolean' };
export const whole = { type: 'integer', minimum: 0 };
export const instant = { type: 'string', format: 'date-time', description: 'ISO 8601 in UTC.' };
export const binary = { type: 'string', format: 'binary' };
export const address = { type: 'string', format: 'uri-reference' };
export const scalar = { type: ['string', 'number', 'boolean'] };
export const slug = { type: 'string', pattern: SLUG };
const buildName = { type: 'string', pattern: BUILD_NAME };
const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' };

/** A schema with a description. */
export function say(description: string, schema: JsonSchema = text): JsonSchema {
  return { ...schema, description };
}

/** An object with these members and no others. A member whose name ends in `?` is optional. */
export function object(members: Record<string, JsonSchema>): JsonSchema {
  const names = Object.keys(members);
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]]));
  const required = names.filter((name) => !name.endsWith('?'));
  return { type: 'object', required, properties, additionalProperties: false };
}

export function oneOf(...values: string[]): JsonSchema {
  return { enum: values };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** An object whose member names are keys. */
export function mapOf(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type, 'null'] };
}

/** A reference to a schema of the document. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

const gained = say('Only when there are any: those of `added` that the build is only the first to serve, although nothing says that they are new in the game. The others are.', list(text));
const kind = say('Only when the dataset itself was added or removed.', oneOf('added', 'removed'));
const fields = say('The dotted keys of the attributes that differ; for a difference inside a list, the key of the list.', list(text));
const attributes = say('Only when there are any: the dotted keys of attributes that no record of the build before had, and of those that none has any more. They are changes of the data, not of the game: `changed` and `changes` are without them. An object that is gained or lost is listed, and not what is in it.', object({
  gained: list(text), lost: list(text),
  'elements?': say('Only when there are any: lists that gained elements of a kind that no record had before, such as a trait that many records get at once. `values` are these elements; without it, the list had no objects before. In the history no record counts as changed for them.', list(object({ key: text, 'values?': list({}) }))),
}));
const KINDS = '`corrections` of ours; `gained`, what the data begins to have or reads from elsewhere; `translations` and spelling; `times` of day, and dates of the past; `order` of lists; `references`, ids that renumber and names of other records.';
const foldedOf = (item: JsonSchema, what: string) => say(`Only when there are any: ${what} that the game did not change, by kind. ${KINDS}`, object(Object.fromEntries(FOLDED.map((each) => [`${each}?`, item]))));
const names = say('The names of these records by id; only when they have names.', mapOf(text));
const renamed = say('Only when there are any: the new ids of records that were renumbered, by their old ids. Apart from the id they are compared as one record.', mapOf(text));
const changes = list(ref('Change'));
const counts = say('Only in the history, and only if lists of a build are divided into pages: the whole lengths of these lists, by name.', mapOf(whole));
const carriedFrom = say('Only if there are any: datasets that stayed as they were in an earlier build, with its name, because those of upstream could not be trusted yet.', mapOf(text));
const named = object({ id: text, name: text });

/**
 * The differences between two builds.
 *
 * @param each the members of a changed record or object
 * @param changed the changed records of a dataset
 * @param folded the records that the game did not change
 */
function differences(each: Record<string, JsonSchema>, changed: JsonSchema, folded: JsonSchema) {
  const common = { 'attributes?': attributes, 'counts?': counts, 'folded?': folded };
  const records = { added: list(text), 'gained?': gained, removed: list(text), changed, 'names?': names, 'renamed?': renamed };
  const characters = { added: list(named), removed: list(named), changed: list(object({ id: text, name: text, ...each })), 'renamed?': renamed };
  return {
    characters: object({ ...characters, ...common }),
    datasets: say('By dataset key; only datasets that differ.', mapOf({
      oneOf: [object({ 'kind?': kind, ...records, ...common }), object({ ...each, 'kind?': kind, ...common })],
    })),
  };
}

const changedRecords = list(object({ id: text, 'name?': text, fields, changes }));
const values = differences({ fields, changes }, changedRecords, foldedOf(changedRecords, 'records with changes'));

const amendment = object({
  at: instant, reason: text,
  'changes?': say('What the correction changed: `from` was served before, `to` is served since. Absent where that is not known. Without what is in `model`, unless `amended=values` asks for every value.', object(values)),
  'model?': say('Only if there are any: changes of the model of the data, which are no corrections. What an attribute of at least a third of the records, and ten, is now; with it all attributes of its object; and datasets that were added or removed.', list(object({ collection: text, 'attribute?': text, kind: oneOf('changed', 'added', 'removed'), records: whole }))),
});

const since = say('Only if builds between are missing: the name of the one before. What is new is new since then.', buildName);
const direction = say('Only of characters in a history: a player gains, or loses, by all of their numbers that changed.', oneOf('buff', 'nerf'));
const foldedCounts = foldedOf(whole, 'how many records have changes');
const someOf = (more: Record<string, JsonSchema> = {}) => object({ count: whole, first: say('The first of them, as many as fit.', list(object({ id: text, 'name?': text, ...more }))) });
const summaryOf = say('Names and counts; what is empty is absent.', object({
  'kind?': kind, 'first_served?': say('How many records the build is only the first to serve.', whole),
  'new?': someOf(), 'buffs?': someOf({ fields }), 'nerfs?': someOf({ fields }), 'changed?': someOf({ 'fields?': fields }), 'removed?': someOf(),
  'folded?': foldedCounts,
}));
const summary = object({
  build: buildName, released_at: instant, previous: orNull(buildName), 'since?': since, note: orNull(text),
  characters: summaryOf, datasets: mapOf(summaryOf),
});

/** The length of a list, and its first elements. */
function listing(items: JsonSchema): JsonSchema {
  return object({ count: whole, first: say('The first of them, as many as fit.', list(items)) });
}

function attributesIn(value: JsonSchema): JsonSchema {
  return say('Only when there are any: attributes that no record had before, and those that none has any more. They are changes of the data, not of the game, and not counted in `changed`.', object({ gained: value, lost: value }));
}

const about = { game: slug, title: text, build: buildName, released_at: instant, note: orNull(text) };
const largestChange = object({
  collection: say('`characters`, or the key of a dataset.'),
  'id?': text, 'name?': text,
  path: say('A JSON Pointer into the record, or into a dataset without ids.'),
  'label?': say('What the attribute is called, from the attribute dictionary.'),
  'unit?': text, from: number, to: number,
});
const charactersOfEvent = object({ added: listing(named), removed: listing(named), changed: listing(named), 'attributes?': attributesIn(listing(text)) });
const datasetsOfEvent = listing(object({
  key: text, added: whole,
  'gained?': say('Only if there are any: how many of `added` the build is only the first to serve, although nothing says that they are new in the game.', whole),
  removed: whole, changed: whole, 'attributes?': attributesIn(whole),
}));
const largest = say('Only if there are any: the numbers that changed most, by the difference as a part of the larger value; one for each attribute of a record. `diff` has all changes.', { ...list(largestChange), maxItems: 20 });

/** The schemas of changes: histories, timelines, diffs and snapshots of builds, and events, which are the same on every channel. */
export const CHANGE_SCHEMAS = {
  History: object({
    game: slug,
    total: say('How many builds exist.', whole),
    count: say('How many of them are on this page.', whole),
    builds: list({ oneOf: [summary, object({
      build: buildName, released_at: instant,
      'released_in?': say('Only where it differs: when the build is released in each of these regions. Builds are ordered, and hidden until their release, by `released_at` alone.', mapOf(instant)),
      previous: say('The build before; null for the first one.', orNull(buildName)),
      'since?': since,
      'carried_from?': carriedFrom,
      note: orNull(text), amended: list(amendment),
      snapshot: object({ bytes: say('The size of the snapshot as plain JSON.', whole), sha256: say('Of the snapshot as plain JSON, in hex.', sha256) }),
      'pages?': say(`Only if a list has more than ${MAX_MEMBERS} members: into how many pages the lists are divided. \`page\` names one.`, whole),
      'next?': say('Only if there are further pages: the address of the next one. Where there are no more members, its lists are empty, and datasets are left out; what is no list is on each page.', address),
      ...differences({ fields, 'kind?': direction }, list(text), foldedCounts),
    })] }),
    'limits?': say('Only with `view=summary`, and if there are any: what the data does not hold, so that its changes are not known.', list(text)),
    'withdrawn?': say('Only when there are any: released builds that were removed, with the time and the reason.', list(object({ build: buildName, released_at: instant, at: instant, reason: text }))),
  }),
  Timeline: object({
    game: slug, id: text,
    name: say('The newest name.'),
    timeline: list(object({
      build: buildName, released_at: instant,
      kind: say('`amended` is a correction of the build after its release.', oneOf('added', 'changed', 'removed', 'amended')),
      changes: say('What the game changed. Empty for the kinds `added` and `removed`.', changes),
      'folded?': foldedOf(changes, 'changes'),
      'at?': say('Only for the kind `amended`: when the build was corrected, ISO 8601 in UTC.', instant),
      'reason?': say('Only for the kind `amended`: why.'),
      'record?': say('Only for the kind `added`: the full record at that time.', ref('Character')),
    })),
  }),
  Series: object({
    game: slug, id: text, fields: list(text),
    series: list(object({
      build: buildName, released_at: instant,
      values: say('The value of each of `fields`, in their order; null where there is none.', list({})),
    })),
  }),
  Change: say('One difference. Elements of lists are matched by id, or by position when they have no ids.', object({
    path: say('A JSON Pointer (RFC 6901) to `to` in the newer record; without `to`, to `from` in the older record.'),
    'from_path?': say('A JSON Pointer to `from` in the older record, when that is not `path`.'),
    'from?': say('The value before; absent where there was nothing.', {}),
    'to?': say('The value after; absent where nothing is left.', {}),
  })),
  Snapshot: object({
    game: slug, title: text, build: buildName, released_at: instant, 'carried_from?': carriedFrom,
    characters: list(ref('Character')),
    datasets: say('By key. Lists of records with ids are in natural order of their ids.', mapOf({ oneOf: [{ type: 'object' }, list({ type: 'object' })] })),
  }),
  ...Object.fromEntries(Object.values(BULK_TRAITS).map(({ mediaType, schema, description }) => [schema, say(description, /text|json/.test(mediaType) ? text : binary)])),
  Zip: say('A zip with a file for each collection.', binary),
  SnapshotLink: say('An address to download a snapshot from without a key.', object({
    url: say('The signed link. One that begins with `/` is relative to the address of the request.', address),
    expires_at: instant,
    bytes: say('Of the plain JSON.', whole),
    sha256: say('Of the plain JSON.', sha256),
  })),
  SnapshotOrLink: say('The link for `via=link`.', { oneOf: [ref('Snapshot'), ref('SnapshotLink')] }),
  Diff: object({ game: slug, from: buildName, to: buildName, ...values }),
  Patch: say('A JSON Patch (RFC 6902).', list(object({ op: oneOf('add', 'remove', 'replace'), path: text, 'value?': say('Any JSON value.', {}) }))),
  GameEvent: say('A game is new, a build was released, builds were corrected, or a build was removed (then with `reason`). A correction of several builds is one event, with what it changed where that is known. Less than 20 KB: long lists and texts are cut. In a new game, everything counts as added.', object({
    id: say('The same for every attempt and every channel that sends the event.'),
    type: oneOf('game.added', 'build.released', 'build.amended', 'build.withdrawn', 'alerts.test'),
    timestamp: say('When it became visible to Pro keys, ISO 8601 in UTC.', instant),
    data: {
      oneOf: [
        object({ ...about, characters: charactersOfEvent, datasets: datasetsOfEvent, 'largest?': largest }),
        object({
          ...about, amended_at: instant, reason: text,
          'builds?': say('The corrected builds, oldest first; `build` is the newest.', listing(text)),
          'characters?': charactersOfEvent, 'datasets?': datasetsOfEvent, 'largest?': largest,
        }),
        object({ ...about, withdrawn_at: instant, reason: text }),
      ],
    },
  })),
};
