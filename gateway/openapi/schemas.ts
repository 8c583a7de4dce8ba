// biome-ignore-all format: a member is a line, with what it means
import { FOLDED } from '../../scripts/diff/diff-builds.ts';
import { MAX_MEMBERS } from '../../scripts/diff/history.ts';
import { ATTRIBUTE_KINDS } from '../../scripts/format/attributes.ts';
import { BUILD_NAME, BULK_TRAITS, SLUG } from '../../scripts/format/dist-format.ts';
import type { JsonSchema } from '../../scripts/types/types.ts';
import { PROBLEMS } from '../http/problem.ts';
import { MAX_RECORDS } from '../query/list-query.ts';

// The vocabulary of the schemas.
export const text = { type: 'string' };
const number = { type: 'number' };
const flag = { type: 'boolean' };
const whole = { type: 'integer', minimum: 0 };
const instant = { type: 'string', format: 'date-time', description: 'ISO 8601 in UTC.' };
export const binary = { type: 'string', format: 'binary' };
const address = { type: 'string', format: 'uri-reference' };
const scalar = { type: ['string', 'number', 'boolean'] };
const slug = { type: 'string', pattern: SLUG };
const buildName = { type: 'string', pattern: BUILD_NAME };
const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$' };

/** A schema with a description. */
export function say(description: string, schema: JsonSchema = text): JsonSchema {
  return { ...schema, description };
}

/** An object with these members and no others. A member whose name ends in `?` is optional. */
function object(members: Record<string, JsonSchema>): JsonSchema {
  const names = Object.keys(members);
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), members[name]]));
  const required = names.filter((name) => !name.endsWith('?'));
  return { type: 'object', required, properties, additionalProperties: false };
}

const oneOf = (...values: string[]): JsonSchema => ({ enum: values });
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
/** An object whose member names are keys. */
const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });
const orNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema.type, 'null'] });
/** A reference to a schema of the document. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

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
/** The length of a list, and its first elements. */
const listing = (items: JsonSchema) => object({ count: whole, first: say('The first of them, as many as fit.', list(items)) });
const someOf = (more: Record<string, JsonSchema> = {}) => listing(object({ id: text, 'name?': text, ...more }));
const summaryOf = say('Names and counts; what is empty is absent.', object({
  'kind?': kind, 'first_served?': say('How many records the build is only the first to serve.', whole),
  'new?': someOf(), 'buffs?': someOf({ fields }), 'nerfs?': someOf({ fields }), 'changed?': someOf({ 'fields?': fields }), 'removed?': someOf(),
  'folded?': foldedCounts,
}));
const summary = object({
  build: buildName, released_at: instant, previous: orNull(buildName), 'since?': since,
  'limits?': say('Only if there are any: what the build does not hold, or holds from an older source, so that its changes are not known.', list(text)),
  note: orNull(text), characters: summaryOf, datasets: mapOf(summaryOf),
});

const attributesIn = (value: JsonSchema) => say('Only when there are any: attributes that no record had before, and those that none has any more. They are changes of the data, not of the game, and not counted in `changed`.', object({ gained: value, lost: value }));

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
const CHANGE_SCHEMAS = {
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
    bytes: say('Of the file; of JSON, before it is compressed.', whole),
    sha256: say('Of the same bytes.', sha256),
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

const build = say('The build that the response belongs to.');
const record = say("Its attributes are the game's own; the dataset `facets` lists those of the roster.", { type: 'object' });
const page = {
  total: say('How many records match.', whole),
  count: say('How many of them are on this page.', whole),
  limit: say('null when no limit was given.', orNull({ ...whole, maximum: MAX_RECORDS })),
  offset: whole,
  sort: say('The sort that was applied, sign included; `ids` for the order of the parameter, `relevance` for that of a search, null for the order of the list.', orNull(text)),
  'missing?': say('Requested ids that do not exist; only when `ids` was given.', list(text)),
  'did_you_mean?': say('Only when no record matches and a value that exists is near one in the request: which filter, and the value.', object({ parameter: text, value: text })),
};

/** Makes the schemas of responses with records from the schema of one record. */
export const schemaFor = {
  roster: (entry: JsonSchema) => object({ game: slug, build, ...page, characters: list(entry) }),
  randomCharacters: (character: JsonSchema) => object({ game: slug, build, count: whole, characters: list(character) }),
  listDataset: (item: JsonSchema) => object({ game: slug, build, dataset: text, ...page, records: list(item) }),
  objectDataset: (data: JsonSchema) => object({ game: slug, build, dataset: text, data }),
  comparison: (character: JsonSchema) => object({
    game: slug, build, count: whole, ids: list(text), characters: list(character),
    fields: list(object({
      key: text, values: say('One value per character; null where it has none.', list({})), differs: flag, best: say('Positions.', list(whole)),
    })),
  }),
};

/** Texts in other languages: `name_ja`, `label_ja`. */
const inLanguages = (name: string) => ({ patternProperties: { [`^${name}_`]: text } });
const label = say('The name that the game shows, in English; in other languages as `label_ja`.');
const isTrue = { const: true };

const DATA_SCHEMAS = {
  Games: object({
    total: whole,
    attribution: say('How to attribute the data.'),
    terms: say('The address of the terms of use.', address),
    games: list(object({
      slug, title: text, build: text, released_at: instant,
      counts: object({ characters: whole, datasets: whole, builds: whole }), datasets: list(text),
      formats: say('The formats of downloads, each with the oldest build from which on all have it.', { type: 'object', additionalProperties: text, required: ['json'] }),
      'age_days?': say('How many UTC days ago the build was released.', whole),
      as_of: say('The day of the source of each collection, by `characters` or the key of a dataset.', mapOf(text)),
      'gaps?': say('How many records of each collection lack an attribute that at least half of all have: what the source leaves out, or what does not apply to them. Shares below 5 % are left out.', mapOf(mapOf(whole))),
      'cadence_days?': say('How many days usually pass between two patches of the game; null if that is not known.', orNull(number)),
      'behind_days?': say('How many days ago the next patch was usual after the one that the characters are of; 0 if it is still to come.', orNull(whole)),
      'successor?': say('Only of a game that has ended: the game that continues it.', slug),
      'regions?': say('The same game in other regions, each with its own builds and texts.', list(slug)),
      'images?': say('Where the images are that attributes of the kind `image` name. They are not copied.', object({
        hosts: list(text),
        credit: say('Whose images they are; show it beside them.'),
        terms: say('The terms under which they may be shown.', address),
      })),
    })),
  }),
  Roster: schemaFor.roster(ref('RosterEntry')),
  RosterEntry: say('The attributes of a character that a list needs; with `fields`, only the chosen attributes.', {
    type: 'object', required: ['id'], ...inLanguages('name'),
    properties: { id: text, name: text, rarity: { type: 'integer' }, attack: text, stats: { type: 'object', additionalProperties: number } },
  }),
  Record: record,
  SearchResults: object({
    q: say('As in the request.'),
    total: page.total, count: page.count, limit: { ...whole, maximum: 100 }, offset: whole,
    results: say('Best first; equal ones in the order of games, collections and ids.', list(ref('SearchResult'))),
    'games?': say('On the first page: games that the words name, or begin to name. If a whole name is among the words, the others are searched in these games.', list(object({ game: slug, title: text }))),
    'datasets?': say('On the first page: datasets that the words name, or that players mean by them.', list(object({ game: slug, dataset: text }))),
  }),
  SearchResult: object({
    game: slug, collection: say('`characters` or the key of a dataset.'), id: text, name: text,
    matched: object({
      name: say('The name or alias that matched best.'),
      attribute: say('The attribute that it is in: `name`, `name_ja`, `aliases`.'),
      kind: oneOf('exact', 'prefix', 'word', 'substring', 'typo'),
    }),
    score: say('1 for the whole name; it only orders the results.', { ...number, minimum: 0, maximum: 1 }),
  }),
  RandomCharacters: schemaFor.randomCharacters(ref('Character')),
  Character: say('The full record; with `fields`, only the chosen attributes.', { allOf: [ref('RosterEntry')] }),
  Dataset: { oneOf: [schemaFor.listDataset(record), schemaFor.objectDataset({ type: 'object' })] },
  Facets: object({ game: slug, build, dataset: { const: 'facets' }, ...page, records: list(ref('Facet')) }),
  Facet: object({
    id: say('The dotted key.'),
    'type?': oneOf('string', 'number', 'boolean'),
    'list?': say('Whether a character may have several values.', flag),
    'count?': say('How many characters have it.', whole),
    'distinct?': say('How many different values exist.', whole),
    'min?': scalar, 'max?': scalar,
    'values?': say('The values, ascending: all, or of many texts those that most records have; left out for numbers with many values.', list(ref('AttributeValue'))),
    'rest?': say('The values that are not listed: how many, and how often records have them.', object({ distinct: whole, count: whole })),
  }),
  Attributes: object({
    game: slug, build,
    collection: say('`characters` or the key of the dataset.'),
    records: say('How many records the collection has; 1 for one object.', whole),
    attributes: say('An object comes before its attributes.', list(ref('Attribute'))),
  }),
  Attribute: say('An attribute of a collection. Members that do not apply are absent.', { ...inLanguages('label'), ...object({
    key: say('The dotted key. Steps into objects and into lists of objects are the same: `ascension.materials.name`.'),
    'label?': label,
    'description?': say('The meaning, in a sentence.'),
    'type?': say('The type of the values; of a list, of its elements. `any`: several types, or lists of lists. Absent if no record has a value.', oneOf('string', 'number', 'integer', 'boolean', 'object', 'any')),
    'kind?': say('What the values are. An image is its address; a date is ISO 8601; a color is #rrggbb.', oneOf(...ATTRIBUTE_KINDS)),
    'unit?': text, 'skills?': say('The names of the skills that a list of costs is for, each for itself.', list(text)),
    'uncounted?': say('What the data does not count among the costs of a character.', list(text)),
    'level?': say('The level or condition that the values are of.'),
    'ref?': say('The collection whose ids the values are: the key of a dataset, or `characters`.'),
    list: say('Whether it is a list.', flag),
    'optional?': say('Some records, or some of the objects that it is a part of, lack it.', isTrue),
    'nullable?': say('Some values are null.', isTrue),
    count: say('How many records have a value.', whole),
    'distinct?': say('How many different values there are.', whole),
    'min?': say('The smallest number.', number),
    'max?': say('The largest number.', number),
    'expected?': say('The range that is expected, now and later.', { type: 'object', properties: { min: number, max: number }, additionalProperties: false }),
    'closed?': say('`values` are a closed set: the game knows no others.', isTrue),
    'values?': say('All values of the build, ascending: of a closed set, and if there are few.', list(ref('AttributeValue'))),
    'examples?': say('Some values, if not all are listed.', list(scalar)),
  }) }),
  AttributeValue: { ...object({ value: scalar, 'label?': label, count: say('How many records have it.', whole) }), ...inLanguages('label') },
  Comparison: schemaFor.comparison(ref('Character')),
  Cost: object({ 'id?': say('The id of the material; absent for money that is no item.'), name: say('In `lang` only if the record of the character has this name in it.'), count: whole }),
  Costs: object({
    game: slug, build, id: text, name: text,
    parts: list(object({
      key: say('The list of the character whose steps these are, by its dotted key.'), 'of?': say('The id of the skill whose list it is.'),
      steps: say('How many steps that cost something were counted.', whole), 'levels?': say('The level of each skill that has these steps; of masteries, the mastery.', list(whole)), materials: list(ref('Cost')),
    })),
    total: say('All parts together.', list(ref('Cost'))),
    uncounted: say('What costs beside that, and is not in the data of the game.', list(text)), missing: say('Lists of costs that other characters of the game have.', list(text)),
  }),
  TypeScript: say('A module of TypeScript with types only, in UTF-8.'),
  AnyRows: say('A page of the roster or of a dataset, or a comparison.', { anyOf: [ref('Roster'), ref('Dataset'), ref('Comparison')] }),
};

const window = object({ used: whole, remaining: whole, resets_at: say('When `remaining` next grows; null while nothing is used.', orNull(instant)) });
const channel = oneOf('on', 'off', 'disabled');
const limits = orNull(object({ minute: whole, day: whole }));
const usage = orNull(object({ minute: window, day: window }));

const SERVICE_SCHEMAS = {
  Me: object({
    tier: oneOf('free', 'pro'),
    key: object({
      prefix: text, name: say('How its holder calls it; null without a name.', orNull(text)), created_at: instant,
      expires_at: say('When the key stops working, because it expires or was replaced; null when it does not.', orNull(instant)),
      browser: say('What a browser key is bound to; null for every other key.', orNull(object({
        origins: say('The origins of the pages that it works on.', list(text)),
        limits: say('Its own limits, within those of the account; null without any.', limits),
        usage: say('What is used of these limits: on the free tier by all browser keys and read-only addresses of the account; null without any.', usage),
      }))),
    }),
    email: say('Masked; null for a browser key that visitors of pages can read.', orNull(text)),
    pro_until: say('When Pro ends; null without an end, and on the free tier.', orNull(instant)),
    limits: say('The limits on the requests of the account, with all of its keys together: in any 60 seconds, and in a UTC day; null without limits.', limits),
    usage: say('How much of each limit is used; null without limits.', usage),
    freshness: object({ delay_hours: say('How long after its release a build becomes visible.', whole) }),
    follows: say('What the account follows: slugs of games, `all_games`, `new_games`. Without Pro it is kept, but nothing is sent. null when it cannot be read right now, and for a browser key that visitors of pages can read.', orNull(list(text))),
    channels: say('The channels on which the account gets alerts, which are set on the account page: `disabled` if the receiver said that the webhook was removed. Without Pro they are kept, but nothing is sent. null when it cannot be read right now, and for a browser key that visitors of pages can read.', orNull({ ...object({ webhook: channel, mail: channel, feed: channel }), additionalProperties: channel })),
  }),
  RevokeKey: object({ key: say('The whole key, as it was issued.') }),
  Status: object({ status: text }),
  OpenApi: { type: 'object', required: ['openapi', 'info', 'paths'], properties: { openapi: text, info: { type: 'object' }, paths: { type: 'object' } } },
  Problem: say('An error in the form of RFC 9457.', object({
    type: address, title: text, status: { type: 'integer' },
    code: say('Stable; for programs.', oneOf(...Object.keys(PROBLEMS))),
    detail: say('What was wrong and what was expected; for people.'),
    'parameter?': say('The parameter that is not valid.'),
    'ids?': say('The unknown ids.', list(text)),
    'address?': say('The IP address that the request came from.'),
    'types?': say('The media types that the address serves.', list(text)),
    'origin?': say('The Origin header field of the request; null without one.', orNull(text)),
    'violated-policies?': say('The limits that are reached, by their names in RateLimit-Policy.', list(oneOf('minute', 'day', 'bulk', 'diffs', 'pages', 'attempts', 'key-minute', 'key-day'))),
  })),
};

/** The JSON Schemas of all responses. */
export const SCHEMAS: Readonly<Record<string, JsonSchema>> = { ...DATA_SCHEMAS, ...CHANGE_SCHEMAS, ...SERVICE_SCHEMAS };
