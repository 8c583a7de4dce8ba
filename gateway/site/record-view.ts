// Shows a record: first what players look for, then everything else by attribute. It has no code per game; the dictionary gives each attribute its
// meaning.
import { type Json, type JsonObject, ownValue } from '../../scripts/format/dist-format.ts';
import { groupBy } from '../../scripts/text.ts';
import { type CostList, hasCost, isCost } from '../api/costs.ts';
import { areEffects, sayEffects } from '../api/effect-text.ts';
import { type Content, type Html, html, raw, write } from '../http/html.ts';
import { valueAt } from '../query/fields.ts';
import type { FindEntry } from './data.ts';
import * as format from './format.ts';
import { isObject, type Known } from './format.ts';
import { scroll } from './layout.ts';
import { faceList } from './parts.ts';
import type { ImageMode } from './tile.ts';

/** The context in which a record is shown. */
export interface ViewContext {
  root: AttributeView;
  find: FindEntry;
  reader: format.Reader;
  /** The hosts of the pictures of its records and of materials. */
  hosts: readonly string[];
  /** Returns a record that another refers to. */
  recordOf: (collection: string, id: string) => JsonObject | undefined;
  /** Returns what is known of the records of a list. */
  viewOf: (collection: string) => AttributeView | undefined;
  images: ImageMode;
}

/** A section of a record's page. */
export interface Section {
  /** The attribute of the section; empty for values directly in the record. */
  key: string;
  title: string;
  /** `skill` for abilities; the others are folded. */
  kind: 'skill' | 'plain';
  body: Html;
}

/** Shown elsewhere: names in the heading of a page, stats above everything. */
const HEADS: ReadonlySet<string> = new Set(['name', 'aliases', 'stats', 'id', 'precision']);
const SKILLS =
  /^(effect|refined)$|skill|talent|noble|abilit|append|passive|constellation|eidolon|burst|trace|mindscape|potential|attacks?$/i;
const FURTHER_SKILLS = /append|class|defense|passive|constellation|eidolon|trace|mindscape|potential/i;
/** The attributes that are shown as the text of a card. */
const TEXTS = ['effect', 'description', 'text', 'summary'];
const STEPS = ['level', 'lv', 'max_level', 'rank', 'phase', 'ascension', 'mastery', 'step'];
/** What a card's name says, or its text: such as by how many `levels` a constellation raises a talent, or how many `effects` it has. */
const UNSAID = /^(id|name|levels|order|unnamed|effects|.*_language)$/;
/** What a step of costs has beside costs. */
const IN_STEPS: ReadonlySet<string> = new Set([...STEPS, 'rarity', 'character_level']);
const MAX_CARDS = 40;
/** A longer text is not beside the name of a card. */
const MAX_WORD = 30;
/** These sentences say nothing. */
const SAYS_NOTHING = /^(Has another effect|Gives (energy|a (de)?buff))\.\n?/gm;
/** A short list with more columns is shown as one list of facts for each element. */
const MANY_COLUMNS = 6;

type Rows = readonly JsonObject[];

const singular = (noun: string) => noun.replace(/ies$/, 'y').replace(/s$/, '');

/** A member of records or of objects in them, with what every page asks about it, found once per build. */
export class AttributeView {
  readonly key: string;
  readonly attribute: Known;
  readonly name: string;
  readonly label: string;
  readonly unit: string | undefined;
  readonly isInternal: boolean;
  /** Whether it is a name in another language. */
  readonly isTranslation: boolean;
  /** Whether its elements are abilities. */
  readonly isSkill: boolean;
  /** The collections whose records an `id` inside it may name. */
  readonly targets: readonly string[];
  /** Its tables, by their columns. */
  readonly plans = new Map<string, ReturnType<typeof makePlan>>();
  readonly #known: ReadonlyMap<string, Known>;
  /** Its place in the dictionary. */
  readonly place: number;
  readonly #inside = new Map<string, AttributeView>();

  /** @param key empty for the record itself */
  constructor(known: ReadonlyMap<string, Known>, key = '') {
    this.#known = known;
    this.key = key;
    this.place = [...known.keys(), key].indexOf(key);
    const { values, ...attribute }: Known = known.get(key) ?? { key };
    const isLabelled = !format.isNumeric(attribute) || values?.some(({ label }) => label !== undefined);
    this.attribute = isLabelled && values ? { ...attribute, values } : attribute;
    if (attribute.type === 'object') this.attribute.inside = (name) => this.inside(name).attribute;
    this.name = key.slice(key.lastIndexOf('.') + 1);
    const { ref } = this.attribute;
    // The id of a skill is shown as its name.
    const named = ref !== undefined && this.name === 'id' ? singular(ref) : key;
    this.label = format.labelOf({ ...this.attribute, key: named });
    this.unit = format.unitOf(this.attribute);
    this.isInternal = format.isInternal(this.attribute);
    this.isTranslation = /^name_[a-z_]+$/.test(this.name);
    this.isSkill = SKILLS.test(key) && !/(^|_)(levels?|costs?)$/.test(key);
    this.targets = targetsOf(this.attribute.ref === undefined ? `${key}.id` : key, known);
  }

  /** Returns a member, also one that the dictionary does not know. */
  inside(name: string): AttributeView {
    const found = this.#inside.get(name);
    if (found) return found;
    const made = new AttributeView(this.#known, this.key === '' ? name : `${this.key}.${name}`);
    this.#inside.set(name, made);
    return made;
  }

  /** The members of an object that have values, in the order of the dictionary and then of the object, without its names in other languages. */
  membersOf(object: JsonObject): [AttributeView, Json][] {
    const members: [AttributeView, Json][] = [];
    for (const name in object) {
      const [inner, value] = [this.inside(name), object[name] ?? null];
      const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
      if (!isEmpty && !inner.isTranslation) members.push([inner, value]);
    }
    return members.sort(([a], [b]) => a.place - b.place);
  }
}

/** The stats that players look at first, as labels and texts; without zeros. A stat that the record chooses has its name: `substat` of `stats.substat`, and of `substat_value`. */
export function stripOf(record: JsonObject, { root, reader }: ViewContext): [string, string][] {
  if (!isObject(record.stats)) return [];
  const names = Object.keys(record).filter((name) => name.endsWith('_value'));
  const chosen = names.map((name): [AttributeView, Json] => [root.inside(name), record[name] ?? null]);
  return [...root.inside('stats').membersOf(record.stats), ...chosen]
    .filter(([, value]) => typeof value === 'number' && value !== 0)
    .map(([{ name, label, unit = '%', attribute }, value]): [string, string] => {
      const choice = ownValue(record, name.replace('_value', ''));
      // A unit in words does not fit beside a large number.
      if (unit !== '%') return [`${label}, ${unit}`, format.formatCell(value, attribute, reader)];
      const text = format.formatValue(value, attribute, reader);
      return typeof choice === 'string' ? [choice, `+${text}`] : [label, text];
    })
    .filter(([label], at, all) => all.findIndex(([each]) => each === label) === at);
}

/** Arranges everything in a record for people, except its stats, names and costs. @param costs the lists whose steps are costs @param above the attributes that are shown above */
export function sectionsOf(
  record: JsonObject,
  context: ViewContext,
  costs: CostList[] = [],
  above: ReadonlySet<string> = new Set(),
): Section[] {
  const { root, reader } = context;
  const sections: Section[] = [];
  const general: Row[] = [];
  for (const [view, value] of root.membersOf(record)) {
    const { key, label: title, attribute } = view;
    // The stats at each level say what a level adds, and the card of the effect has its name.
    const isOfEffect = key === 'effect_name' && String(record.effect).includes(' ');
    const isOfSkill = valueAt(record, [key.replace(/_name$/, ''), 'name']) === value;
    const isSaid = isOfEffect || isOfSkill || (key === 'growth' && record.levels !== undefined);
    if (HEADS.has(key) || isSaid || isOfCosts(view, value, costs)) continue;
    const isNamed =
      typeof value === 'string' &&
      !value.includes(' ') &&
      ownValue(record, `${key}_name`) !== undefined &&
      reader.nameOf?.(attribute.ref ?? '', value) === undefined;
    if (view.isInternal || isNamed || isForPrograms(view, value)) continue;
    const list = isListOfObjects(value) ? value : oneSkill(view, value, context, record);
    const isSilent = key === 'effects' && areEffects(value) && lines(sayEffects(value)) === false;
    if (isSilent || list?.every(({ unnamed }) => unnamed === true)) continue;
    // Which skills have a kind of effect is said by their cards.
    const kinds = list?.flatMap(({ kind, skills }) => (kind && skills ? kind : [])) ?? [];
    if (kinds.length > 0) general.push(...rowsOf(view.inside('kind'), kinds, '', context));
    else if (list) sections.push(listSection(view, list, context));
    else if (isObject(value)) {
      const body = html`${note(attribute)}${rowList(rowsOf(view, value, '', context))}`;
      sections.push({ key, title, kind: 'plain', body });
    } else if (!above.has(key)) general.push(...rowsOf(view, value, '', context));
  }
  const said = [...above].flatMap((key) => rowsOf(root.inside(key), record[key] ?? null, '', context));
  if (general.length > 0)
    sections.push({ key: '', title: 'Profile', kind: 'plain', body: rowList(general, said) });
  const placeOf = ({ kind, key }: Section) =>
    kind === 'skill' ? Number(FURTHER_SKILLS.test(key)) : 3 - Number(/^(levels|promotion|growth)/.test(key));
  return sections.sort((a, b) => placeOf(a) - placeOf(b));
}

/** Whether a value, or all in an object, is nothing but internal names. */
function isForPrograms(view: AttributeView, value: Json): boolean {
  if (isObject(value)) return view.membersOf(value).every((each) => isForPrograms(...each));
  const { ref, values } = view.attribute;
  return ref === undefined && !values && (Array.isArray(value) ? value : [value]).every(format.isCode);
}

/** Whether a value is a list of costs, or of objects that have only costs and an id, such as those of each skill. */
function isOfCosts({ key }: AttributeView, value: Json, costs: readonly CostList[]): boolean {
  const isList = (each: string) => costs.some((list) => list.key === each);
  const hasOnlyCosts = (object: JsonObject) =>
    Object.keys(object).every((name) => name === 'id' || isList(`${key}.${name}`));
  const isAround = costs.some((list) => list.key.startsWith(`${key}.`));
  return isList(key) || (isAround && isListOfObjects(value) && value.every(hasOnlyCosts));
}

const note = format.once(({ description, level }: Known): Html | false => {
  const text = description ?? (level === undefined ? undefined : `At ${level}.`);
  return text !== undefined && html`<p class="small muted">${text.replaceAll('`', '')}</p>`;
});

function listSection(view: AttributeView, list: Rows, context: ViewContext): Section {
  const { key, label: title, attribute } = view;
  const hasMore = (row: JsonObject) => Object.keys(row).some((name) => !/^(id|name(_.*)?)$/.test(name));
  const ofCharacters = view.targets.filter((each) => each === 'characters');
  const named = list.some(hasMore) ? [] : list.flatMap(({ id }) => linkTo(ofCharacters, id, context) ?? []);
  const faces = named.map((entry) => ({ entry, href: entry.href }));
  if (faces.length > 0) return { key, title, kind: 'skill', body: html`${faceList(faces, context.images)}` };
  if (view.isSkill && list.some((each) => says(each, view, context))) {
    const cards = list.slice(0, MAX_CARDS).flatMap((_, at) => cardOf(list, at, view, context));
    // Of skills without facts, only the names are there.
    const names = new Set(cards.flatMap(({ own, body }) => (body ? [] : write(own))));
    const bare = names.size > 0 && html`<p class="skill">${raw([...names].join(' · '))}</p>`;
    const body = html`<div class="skill-cards">${cards.map((each) => each.body)}${bare}</div>`;
    return { key, title, kind: 'skill', body };
  }
  const said = key === 'effects' ? sayEffects([...list], view.inside('duration').attribute.unit) : '';
  const body = html`${note(attribute)}${lines(said)}${table(list, view, context)}`;
  return { key, title, kind: 'plain', body };
}

/** One skill, the id of one, or the effect of the record, as a list; undefined for anything else. */
function oneSkill(view: AttributeView, value: Json, context: ViewContext, record: JsonObject) {
  const name = ownValue(record, `${view.key}_name`);
  if (view.key === 'effect' && name !== undefined) return [{ name, effect: value }];
  const skill = typeof value === 'string' ? { id: value } : value;
  return view.isSkill && isObject(skill) && says(skill, view, context) ? [skill] : undefined;
}

/** The steps of lists of costs: the level of each, and what it costs. Lists that are equal, such as those of several skills, are shown format.once. */
export function stepTables(lists: readonly CostList[], outer: AttributeView, context: ViewContext): Html {
  // Without links: materials are linked above.
  const plain: ViewContext = { ...context, find: () => undefined };
  const alike = groupBy(lists, ({ steps }) => (lists.length > 1 ? JSON.stringify(steps) : ''));
  const isShown = (name: string) => IN_STEPS.has(name) || isCost(name);
  const tables = alike.map((own) => {
    const steps = table(own[0].steps, context.root.inside(own[0].key), plain, isShown);
    return html`${alike.length > 1 && html`<b>${own.map((each) => ownerOf(each, context)).join(', ')}</b>`}${steps}`;
  });
  return html`${note(outer.attribute)}${tables}`;
}

/** The name of the skill that a list of costs belongs to; of other lists, the label. */
export function ownerOf({ key, of }: CostList, context: ViewContext): string {
  const view = context.root.inside(key.split('.')[0] ?? '');
  return of === undefined ? view.label : (linkTo(view.targets, of, context)?.name ?? format.wordsOfValue(of));
}

function lines(text: string): Html | false {
  const said = text.replace(SAYS_NOTHING, '');
  return said !== '' && html`<p class="lines small">${said}</p>`;
}

/** Whether an element says more than a few values: an effect, a reference to a record, or its own lists. Costs are summed up elsewhere. */
function says(element: JsonObject, { targets }: AttributeView, context: ViewContext): boolean {
  const hasText = TEXTS.some((each) => typeof element[each] === 'string');
  const isOwnList = (name: string, value: Json = null) =>
    name !== 'materials' && isListOfObjects(value) && !value.some(hasCost);
  const hasLists = Object.keys(element).some((name) => isOwnList(name, element[name]));
  return hasText || hasLists || linkTo(targets, element.id, context) !== undefined;
}

/** What a list says of a skill, and what the record that it refers to adds. */
function skillOf(element: JsonObject, at: number, view: AttributeView, context: ViewContext) {
  const id = String(element.id);
  const list = view.targets.find((each) => context.find(each, id)) ?? '';
  const link = context.find(list, id);
  const referred = (link && context.recordOf(list, id)) ?? {};
  const known = context.viewOf(list);
  const whole = { ...referred, ...element };
  const effects = areEffects(whole.effects) ? whole.effects : [];
  const turns = (element.effects ? view : known)?.inside('effects').inside('duration').attribute.unit;
  const told = effects.length > 0 ? '' : Object.keys(whole).find((each) => textsIn(whole[each]));
  const textKey = TEXTS.find((each) => typeof whole[each] === 'string') ?? told ?? '';
  const given = textsIn(whole[textKey]) || String(whole[textKey] ?? '');
  // A folded card has two lines; the other effects are below.
  const text = given || sayEffects(effects.slice(0, 1), turns).replace(SAYS_NOTHING, '');
  const further = effects.slice(given === '' ? 1 : 0);
  const number = `${singular(view.label)} ${Number(element.level ?? at + 1)}`;
  const name = String(referred.title ?? element.name ?? link?.name ?? (text === '' ? number : ''));
  const isForeign = (each: string) => each.replace(/^[a-z]+_|^/, 'name_') in referred;
  const isAdded = ([each]: [AttributeView, Json]) =>
    !(each.name in element || each.attribute.ref || isForeign(each.name));
  const added = link && known ? known.membersOf(referred).filter(isAdded) : [];
  const members = [...view.membersOf(element), ...added];
  return { name, link, textKey, text, effects, further, turns, members };
}

/** A skill: its name, what it is, and its effect; what else it says and the numbers of its levels unfold. Without a body, only its name is said. */
function cardOf(list: Rows, at: number, view: AttributeView, context: ViewContext) {
  const skill = skillOf(list[at] ?? {}, at, view, context);
  const { name, link } = skill;
  const told = skill.members.map(([inner, value]) => tellMember(inner, value, skill, context));
  const words = told.filter((each) => typeof each === 'string').filter(Boolean);
  const below = told.filter((each) => typeof each !== 'string');
  let { text } = skill;
  for (const word of words) if (text.startsWith(`${word}\n`)) text = text.slice(word.length + 1);
  const badges = words.length > 0 && html` <span class="small muted">${words.join(' · ')}</span>`;
  const own = anchor(name, link?.href);
  const isEmpty = text === '' && below.length === 0;
  if (isEmpty && list[at]?.unnamed === true) return [];
  if (isEmpty) return [{ own, body: badges && html`<p class="skill"><b>${own}</b>${badges}</p>` }];
  // The summary element is a button, so it cannot contain links.
  const body = html`<details class="skill"${list.length === 1 && below.length === 0 && html` open`}><summary><b>${name}</b>${badges}<span class="begin small muted">${text}</span></summary>
    ${link && html`<p>${own}</p>`}${below}</details>`;
  return [{ own, body }];
}

/** What a member says of a skill: words beside its name, or what unfolds; empty if the card says it without it. */
type Skill = ReturnType<typeof skillOf>;

function tellMember(view: AttributeView, value: Json, skill: Skill, context: ViewContext): string | Html {
  const { label, attribute } = view;
  const { name, textKey, text, effects, further, turns } = skill;
  const isSaid = typeof value !== 'object' && (UNSAID.test(view.name) || name.endsWith(` ${value}`));
  if (view.isInternal || isSaid || view.name === textKey || value === false || value === 0) return '';
  if (view.name === 'effects' && effects.length > 0) {
    const steady = further.filter((each) => !hasLevels(each));
    const body = html`${lines(sayEffects(steady, turns))}${byLevel(effects)}`;
    return body.text === '' ? '' : body;
  }
  if (isListOfObjects(value)) {
    if (value.every(isRaise)) return value.map(({ kind, levels }) => `${kind} +${levels}`).join(', ');
    // Numbers that the effects have at each level are not repeated, and costs are above.
    const rows = value.filter((row) => !row.label || effects.every((each) => each.label !== row.label));
    const isShown = rows.length > 0 && !rows.some(hasCost);
    return isShown ? html`<h3>${label}</h3>${table(rows, view, context)}` : '';
  }
  if (Array.isArray(value) && typeof value[0] === 'number' && value.length > 1) {
    const [first, last = null] = [value[0], value.at(-1)];
    const begin = first === last ? '' : `${format.formatNumber(first)}–`;
    // Less than 0 is no number of the game.
    return first < 0 ? '' : `${label} ${begin}${format.formatValue(last, attribute, context.reader)}`;
  }
  if (typeof value === 'object')
    return rowList(rowsOf(view, value, isObject(value) ? `${label} · ` : '', context));
  const shown = format.formatValue(value, attribute, context.reader);
  if (typeof value !== 'string') return value === true ? label : `${label} ${shown}`;
  // An internal word such as `combatsp`, or an id, says nothing beside the kind.
  const isWord = name.includes(value) || format.isCode(value) || /^([a-z]+\d*|\d{4,})$/.test(shown);
  if (isWord || name.includes(shown) || shown === text) return '';
  return shown.length > MAX_WORD ? html`<p class="small">${shown}</p>` : shown;
}

/** Whether an object says by how many levels a kind of skill is raised. */
const isRaise = ({ kind, levels }: JsonObject) => typeof kind === 'string' && typeof levels === 'number';

/** The texts of a list whose objects are nothing else. */
function textsIn(value: Json = null): string {
  const isText = (row: JsonObject) => Object.keys(row).every((name) => TEXTS.includes(name));
  return isListOfObjects(value) && value.every(isText) ? value.flatMap(Object.values).join('\n') : '';
}

const hasLevels = ({ per = null }: JsonObject) => Array.isArray(per) && per.length > 1;

/** The amounts of an effect at each level of its skill: what it is of, how often, and the cells of its row. */
const amountsOf = (effect: JsonObject) => {
  const { per, label, stat, kind, unit, of, times } = effect;
  let cells = '';
  for (const each of Array.isArray(per) ? per : [])
    cells += `<td>${typeof each === 'number' ? format.formatNumber(each, Math.abs(each) < 10 ? 2 : 1) : ''}`;
  const what = `${unit === '%' ? '%' : ''}${of ? ` of ${of}` : ''}`;
  return { effect, name: String(label ?? stat ?? kind), what, times: Number(times ?? 1), cells };
};
type Amounts = ReturnType<typeof amountsOf>;

/** A table of the amounts of effects at each level, without the scopes and end tags that browsers know. */
function byLevel(effects: Rows): Html | false {
  const leveled = effects.filter(hasLevels);
  if (leveled.length === 0) return false;
  const alike = groupBy(leveled.map(amountsOf), ({ name, what }) => name + what);
  const rows = alike
    .flatMap((own) => (own.length > 1 ? tellApart(own) : own))
    .map(
      ({ name, what, times, cells }) =>
        html`<tr><th>${name} <small>${what}${times > 1 && ` × ${times}`}</small>${raw(cells)}`,
    );
  const levels = Math.max(...leveled.map(({ per }) => Object(per).length));
  let heads = '';
  for (let level = 1; level <= levels; level++) heads += `<th>${level}`;
  const all = levels > 3 && html`<details><summary class="small">All levels</summary></details>`;
  const body = html`<table class="by-level"><thead><tr><th>Level</th>${raw(heads)}</thead><tbody>${rows}</tbody></table>`;
  return html`${all}${scroll('By level', body)}`;
}

/** What may tell effects of one name apart. */
const DIFFERENCES = ['kind', 'stat', 'target', 'condition'];

/** Names amounts of one name by a part of it, by what tells them apart, or by numbers. Equal ones are more hits of one. */
function tellApart(own: readonly Amounts[]): Amounts[] {
  const hits = groupBy(own, ({ effect, cells }) =>
    Object.values({ ...effect, per: cells, times: 1 }).join(),
  ).map((same) => ({ ...same[0], times: same.length * same[0].times }));
  if (hits.length === 1) return hits;
  // `Low/High Plunge DMG` is the name of two.
  const parts = hits[0]?.name.split(' ', 1)[0]?.split('/') ?? [];
  if (parts.length === hits.length)
    return hits.map((each, at) => ({ ...each, name: each.name.replace(/^\S+/, parts[at] ?? '') }));
  const differing = DIFFERENCES.filter((key) => groupBy(own, ({ effect }) => String(effect[key])).length > 1);
  const wordsOfHit = ({ effect }: Amounts) => differing.flatMap((key) => effect[key] ?? []).join(', ');
  return groupBy(hits, wordsOfHit).flatMap((same) =>
    same.map((each, at) => {
      const words = [wordsOfHit(each), same.length > 1 ? at + 1 : ''].filter(Boolean).join(' ');
      return { ...each, name: `${each.name} (${words})` };
    }),
  );
}

type Row = [label: string, value: Content];

/** The rows of a value; of an object, those of its members. @param prefix the labels of the objects around it */
function rowsOf(view: AttributeView, value: Json, prefix: string, context: ViewContext): Row[] {
  if (isObject(value))
    return view.membersOf(value).flatMap(([inner, member]) => {
      if (inner.name === 'id' && typeof value.name === 'string') return [];
      const label = prefix + inner.label;
      if (inner.name !== 'name')
        return rowsOf(inner, member, isObject(member) ? `${label} · ` : prefix, context);
      return [[label, anchor(String(member), linkTo(view.targets, value.id, context)?.href)]];
    });
  const shown = isListOfObjects(value) ? table(value, view, context) : show(value, view, context);
  return shown === '' ? [] : [[prefix + view.label, shown]];
}

/** A row as text: the same value as a link or not is said format.once. */
const textOfRow = ([label, value]: Row) => `${label} ${String(value).replace(/<[^>]*>/g, '')}`;

/** @param said rows that are shown above */
function rowList(rows: readonly Row[], said: readonly Row[] = []): Html {
  const known = new Set(said.map(textOfRow));
  const unsaid = rows.filter((row) => known.size < known.add(textOfRow(row)).size);
  return html`<dl class="rows small">${unsaid.map(
    ([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** A list of objects as a table: names first, then levels, then the rest; without columns that are empty or for programs. */
function table(list: Rows, view: AttributeView, context: ViewContext, isShown = (_: string) => true): Html {
  const { columns, begin } = planOf(list, view, isShown);
  if (columns.length > MANY_COLUMNS && list.length < columns.length / 2)
    return html`${list.map((row) => html`<div class="fold">${rowList(rowsOf(view, row, '', context))}</div>`)}`;
  let rows = '';
  for (const row of list) {
    rows += '<tr>';
    for (const { view: own, steps, path, idSteps, targets, isPlain, say } of columns) {
      const value = valueAt(row, steps) ?? null;
      // A name links to the record whose id is beside it.
      const link = idSteps && value !== null && linkTo(targets, valueAt(row, idSteps), context);
      if (link) rows += `<td>${write(anchor(path.endsWith('name') ? String(value) : link.name, link.href))}`;
      else if (isPlain && typeof value === 'number') rows += `<td>${format.formatNumber(value)}`;
      else rows += `<td>${write(show(value, own, context, say)) || format.NOTHING}`;
    }
  }
  return scroll(view.label, html`${begin}${raw(rows)}</tbody></table>`);
}

/** The columns of the members of any row, including those inside objects. */
function planOf(list: Rows, view: AttributeView, isShown: (name: string) => boolean) {
  const found = new Set<AttributeView>();
  const visit = (object: JsonObject, outer: AttributeView) => {
    for (const name in object) {
      const inner = outer.inside(name);
      const value = object[name] ?? null;
      if (found.has(inner) || value === null || inner.isTranslation) continue;
      if (outer === view && !isShown(name)) continue;
      if (isObject(value)) visit(value, inner);
      else if (!Array.isArray(value) || value.length > 0) found.add(inner);
    }
  };
  for (const row of list) visit(row, view);
  const key = [...found].map((each) => each.key).join(' ');
  const plan = view.plans.get(key) ?? makePlan([...found], view);
  view.plans.set(key, plan);
  return plan;
}

/** What tables of the same columns share: those for people, or all if there is none; and the beginning of the table, to its rows. */
function makePlan(views: readonly AttributeView[], outer: AttributeView) {
  const all = views
    .map((each) => columnOf(each, outer))
    .sort((a, b) => a.rank - b.rank || a.view.place - b.view.place);
  const paths = new Set(all.map(({ path }) => path));
  const forPeople = all.filter(({ path, view: { attribute, isInternal: isHidden } }) => {
    const isId = /(^|\.)id$/.test(path) || (attribute.kind === 'id' && attribute.ref === undefined);
    const hasName = isId && paths.has(path.replace(/[^.]+$/, 'name'));
    return !hasName && !isHidden && (path !== 'id' || attribute.ref !== undefined);
  });
  const columns =
    forPeople.length > 0 ? forPeople : all.filter(({ path }) => path !== 'id' || all.length === 1);
  // Classes of the table align its columns of numbers, so that no cell needs one.
  const classes = columns.flatMap(({ view: { attribute } }, at) =>
    format.isNumeric(attribute) ? `n${at + 1}` : [],
  );
  const heads = columns.map(
    ({ title, view: { attribute, unit } }) =>
      html`<th scope="col"${format.isNumeric(attribute) && html` class="number"`}>${title}${unit !== undefined && html` <small>${unit}</small>`}</th>`,
  );
  const begin = html`<table${classes.length > 0 && html` class="${classes.join(' ')}"`}><thead><tr>${heads}</tr></thead><tbody>`;
  return { columns, begin };
}

/** A column of a table, with the names from the object to its value, and where the id is that a name or an id stands for. */
function columnOf(view: AttributeView, outer: AttributeView) {
  const path = view.key.slice(outer.key.length + 1);
  const steps = path.split('.');
  const views = steps.map((_, at) =>
    steps.slice(0, at + 1).reduce((inner, step) => inner.inside(step), outer),
  );
  // Names first, then levels, then the rest.
  const rank = /^(name|id)$/.test(path) ? 0 : [...STEPS, 'rarity', 'slot'].includes(path) ? 1 : 2;
  const isOfId = view.name === 'id' || view.name === 'name';
  const { targets } = views.at(-2) ?? outer;
  const idSteps = isOfId ? [...steps.slice(0, -1), 'id'] : undefined;
  const { unit, values, ref } = view.attribute;
  const isPlain = (unit ?? values ?? ref) === undefined;
  const say = view.unit === undefined ? format.formatValue : format.formatCell;
  const title = views.map(({ label }) => label).join(' · ');
  return { view, path, steps, rank, idSteps, title, targets, isPlain, say };
}

/** A value, or the elements of a list, with links to the records they refer to; empty for no value. */
function show(value: Json, view: AttributeView, context: ViewContext, say = format.formatValue): Content {
  if (!Array.isArray(value)) return value === null ? '' : showOne(value, view, context, say);
  let text = '';
  for (const part of value)
    if (part !== null) text += (text === '' ? '' : ', ') + write(showOne(part, view, context, say));
  return raw(text);
}

function showOne(part: Json, view: AttributeView, context: ViewContext, say: typeof format.formatCell) {
  const { reader } = context;
  const { attribute } = view;
  const { ref, kind } = attribute;
  if (isObject(part)) {
    const link = linkTo([view.inside('id').attribute.ref ?? ''], part.id, context);
    const named = link === undefined || typeof part.name === 'string' ? part : { ...part, name: link.name };
    return anchor(format.formatCell(named, attribute, reader), link?.href);
  }
  if (ref === undefined && kind !== 'image') return say(part, attribute, reader);
  const isAddress = typeof part === 'string' && /^https:\/\/[^\s"'<>]+$/.test(part);
  if (kind === 'image' && isAddress) return anchor('Picture', part);
  return anchor(say(part, attribute, reader), linkTo([ref ?? ''], part, context)?.href);
}

function anchor(text: string, href: string | undefined): Content {
  return href === undefined ? text : html`<a href="${href}">${text}</a>`;
}

/** A link to a record in one of some collections; undefined if there is no such record. */
function linkTo(collections: readonly string[], id: Json | undefined, { find }: ViewContext) {
  for (const collection of collections) {
    const entry = find(collection, String(id));
    if (entry) return entry;
  }
  return undefined;
}

/** The collections whose records an id may name: the one in the dictionary, or the one named like the table: `skills` for `passive_skills.id`. */
export function targetsOf(idKey: string, known: ReadonlyMap<string, Known>): string[] {
  const ref = known.get(idKey)?.ref;
  if (ref !== undefined) return [ref];
  const table = /^([^.]+)\.id$/.exec(idKey)?.[1];
  return table === undefined ? [] : [table, table.slice(table.lastIndexOf('_') + 1)];
}

function isListOfObjects(value: Json): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
