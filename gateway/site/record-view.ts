// Shows a record: first what players look for, then everything else by attribute. It has no code per game; the dictionary gives each attribute its
// meaning.
import { type Json, type JsonObject, ownValue } from '../../scripts/format/dist-format.ts';
import { groupBy } from '../../scripts/text.ts';
import { type CostList, hasCost, isCost } from '../api/costs.ts';
import { areEffects, sayEffects } from '../api/effect-text.ts';
import { type Content, type Html, html, raw, write } from '../http/html.ts';
import type { FindEntry } from './data.ts';
import {
  formatCell,
  formatNumber,
  formatValue,
  isCode,
  isInternal,
  isNumeric,
  isObject,
  type Known,
  labelOf,
  once,
  type Reader,
  unitOf,
  wordsOfValue,
} from './format.ts';
import { scroll } from './layout.ts';
import { faceList } from './parts.ts';
import type { Entry, ImageMode } from './tile.ts';

/** The context in which a record is shown. */
export interface ViewContext {
  root: AttributeView;
  find: FindEntry;
  reader: Reader;
  /** The hosts of the pictures of its records and of materials. */
  hosts: readonly string[];
  /** Returns a record that another refers to. */
  recordOf: (collection: string, id: string) => JsonObject | undefined;
  /** Returns what is known of the records of a list. */
  viewOf: (collection: string) => AttributeView | undefined;
  images: ImageMode;
  /** Whether values link to records, which they do by default. */
  hasLinks?: boolean;
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
const LEVELS = /^(levels|promotion|growth)/;
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
/** The value of the stat that a record has a choice of. */
const CHOSEN = '_value';
/** A short list with more columns is shown as one list of facts for each element. */
const MANY_COLUMNS = 6;

/** A member of records or of objects in them, with what every page asks about it, found once per build. */
export class AttributeView {
  readonly attribute: Known;
  readonly name: string;
  readonly label: string;
  readonly unit: string | undefined;
  readonly isInternal: boolean;
  /** Whether it is a name in another language. */
  readonly isTranslation: boolean;
  /** The collections whose records an `id` inside it may name. */
  readonly targets: readonly string[];
  /** Its tables, by their columns. */
  readonly plans = new Map<string, ReturnType<typeof makePlan>>();
  readonly #known: ReadonlyMap<string, Known>;
  readonly #places: Map<string, number>;
  /** Its place in the dictionary. */
  readonly place: number;
  readonly #inside = new Map<string, AttributeView>();

  /** @param key empty for the record itself */
  constructor(
    known: ReadonlyMap<string, Known>,
    key = '',
    places = new Map<string, number>([...known.keys()].map((each, at) => [each, at])),
  ) {
    this.#known = known;
    this.#places = places;
    this.place = places.get(key) ?? known.size;
    const { values, ...attribute }: Known = known.get(key) ?? { key };
    const isLabelled = !isNumeric(attribute) || values?.some(({ label }) => label !== undefined);
    this.attribute = isLabelled && values ? { ...attribute, values } : attribute;
    if (attribute.type === 'object') this.attribute.inside = (name) => this.inside(name).attribute;
    this.name = key.slice(key.lastIndexOf('.') + 1);
    this.label = labelOf(this.attribute);
    this.unit = unitOf(this.attribute);
    this.isInternal = isInternal(this.attribute);
    this.isTranslation = /^name_[a-z_]+$/.test(this.name);
    this.targets = targetsOf(this.attribute.ref === undefined ? `${key}.id` : key, known);
  }

  get key(): string {
    return this.attribute.key;
  }

  /** Returns a member, also one that the dictionary does not know. */
  inside(name: string): AttributeView {
    const found = this.#inside.get(name);
    if (found) return found;
    const made = new AttributeView(this.#known, this.key === '' ? name : `${this.key}.${name}`, this.#places);
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
  const names = Object.keys(record).filter((name) => name.endsWith(CHOSEN));
  const chosen = names.map((name): [AttributeView, Json] => [root.inside(name), record[name] ?? null]);
  return [...root.inside('stats').membersOf(record.stats), ...chosen]
    .filter(([, value]) => typeof value === 'number' && value !== 0)
    .map(([{ name, label, unit = '%', attribute }, value]): [string, string] => {
      const choice = ownValue(record, name.replace(CHOSEN, ''));
      // A unit in words does not fit beside a large number.
      if (unit !== '%') return [`${label}, ${unit}`, formatCell(value, attribute, reader)];
      const text = formatValue(value, attribute, reader);
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
  const told = [...above].flatMap((key) => rowsOf(root.inside(key), record[key] ?? null, '', context));
  const isNew = (row: Row) => !told.some((each) => isSame(each, row));
  for (const [view, value] of root.membersOf(record)) {
    const { key, label: title, attribute } = view;
    // The stats at each level say what a level adds, and the card of the effect has its name.
    const isOfEffect = key === 'effect_name' && String(record.effect).includes(' ');
    const isOfSkill = valueIn(record, [key.replace(/_name$/, ''), 'name']) === value;
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
    } else if (!above.has(key)) general.push(...rowsOf(view, value, '', context).filter(isNew));
  }
  if (general.length > 0) sections.push({ key: '', title: 'Profile', kind: 'plain', body: rowList(general) });
  const placeOf = ({ kind, key }: Section) =>
    kind === 'skill' ? Number(FURTHER_SKILLS.test(key)) : 3 - Number(LEVELS.test(key));
  return sections.sort((a, b) => placeOf(a) - placeOf(b));
}

/** Whether a value, or all in an object, is nothing but internal names. */
function isForPrograms(view: AttributeView, value: Json): boolean {
  if (isObject(value)) return view.membersOf(value).every((each) => isForPrograms(...each));
  const { ref, values } = view.attribute;
  return ref === undefined && !values && (Array.isArray(value) ? value : [value]).every(isCode);
}

/** Whether a value is a list of costs, or of objects that have only costs and an id, such as those of each skill. */
function isOfCosts({ key }: AttributeView, value: Json, costs: readonly CostList[]): boolean {
  const isList = (each: string) => costs.some((list) => list.key === each);
  const hasOnlyCosts = (object: JsonObject) =>
    Object.keys(object).every((name) => name === 'id' || isList(`${key}.${name}`));
  const isAround = costs.some((list) => list.key.startsWith(`${key}.`));
  return isList(key) || (isAround && isListOfObjects(value) && value.every(hasOnlyCosts));
}

const note = once(({ description, level }: Known): Html | false => {
  const text = description ?? (level === undefined ? undefined : `At ${level}.`);
  return text !== undefined && html`<p class="small muted">${text.replaceAll('`', '')}</p>`;
});

function listSection(view: AttributeView, list: readonly JsonObject[], context: ViewContext): Section {
  const { key, label: title, attribute } = view;
  const hasMore = (row: JsonObject) => Object.keys(row).some((name) => !/^(id|name(_.*)?)$/.test(name));
  const ofCharacters = view.targets.filter((each) => each === 'characters');
  const named = list.some(hasMore) ? [] : list.flatMap(({ id }) => linkTo(ofCharacters, id, context) ?? []);
  const faces = named.map((entry) => ({ entry, href: entry.href }));
  if (faces.length > 0) return { key, title, kind: 'skill', body: html`${faceList(faces, context.images)}` };
  const isSkill =
    SKILLS.test(key) && !/(^|_)(levels?|costs?)$/.test(key) && list.some((each) => says(each, view, context));
  if (isSkill) {
    const cards = list.slice(0, MAX_CARDS).map((_, at) => card(list, at, view, context));
    // Of skills without facts, only the names are there.
    const bare = [...new Map(cards.flatMap((each) => (each.isBare ? [[each.text, each]] : []))).values()];
    const names = bare.map((each, at) => html`${at > 0 && ' · '}${each}`);
    const body = html`<div class="skill-cards">${cards.filter((each) => !each.isBare)}${bare.length > 0 && html`<p class="skill">${names}</p>`}</div>`;
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
  return SKILLS.test(view.key) && isObject(skill) && says(skill, view, context) ? [skill] : undefined;
}

/** The steps of lists of costs: the level of each, and what it costs. Lists that are equal, such as those of several skills, are shown once. */
export function stepTables(lists: readonly CostList[], outer: AttributeView, context: ViewContext): Html {
  const plain = { ...context, hasLinks: false };
  const alike = groupBy(lists, ({ steps }) => (lists.length > 1 ? JSON.stringify(steps) : ''));
  const isShown = ([name]: [string, Json]) => IN_STEPS.has(name) || isCost(name);
  const tables = alike.map((own) => {
    const rows = own[0].steps.map((step) => Object.fromEntries(Object.entries(step).filter(isShown)));
    const steps = table(rows, context.root.inside(own[0].key), plain);
    return html`${alike.length > 1 && html`<b>${own.map((each) => ownerOf(each, context)).join(', ')}</b>`}${steps}`;
  });
  return html`${note(outer.attribute)}${tables}`;
}

/** The name of the skill that a list of costs belongs to; of other lists, the label. */
export function ownerOf({ key, of }: CostList, context: ViewContext): string {
  const view = context.root.inside(key.split('.')[0] ?? '');
  return of === undefined ? view.label : (linkTo(view.targets, of, context)?.name ?? wordsOfValue(of));
}

function lines(text: string): Html | false {
  const said = text.replace(SAYS_NOTHING, '');
  return said !== '' && html`<p class="lines small">${said}</p>`;
}

/** Whether an element says more than a few values: an effect, a reference to a record, or its own lists. Costs are summed up elsewhere. */
function says(element: JsonObject, { targets }: AttributeView, context: ViewContext): boolean {
  return (
    TEXTS.some((each) => typeof element[each] === 'string') ||
    linkTo(targets, element.id, context) !== undefined ||
    Object.entries(element).some(
      ([name, value]) => name !== 'materials' && isListOfObjects(value) && !value.some(hasCost),
    )
  );
}

/** A skill: its name, or its number in the list; its kind, its effect, and what the record it refers to adds; the numbers of its levels unfold. */
function card(all: readonly JsonObject[], at: number, view: AttributeView, context: ViewContext): Card {
  const element = all[at] ?? {};
  const { targets } = view;
  const link = linkTo(targets, element.id, context);
  const list = targets.find((each) => context.find(each, String(element.id))) ?? '';
  const referred = context.recordOf(list, String(element.id)) ?? {};
  const known = context.viewOf(list);
  const whole = { ...referred, ...element };
  const isForeign = (name: string) => name.replace(/^[a-z]+_|^/, 'name_') in referred;
  const added = known
    ?.membersOf(referred)
    .filter(([{ name, attribute }]) => !(name in element || attribute.ref || isForeign(name)));
  const textKey = TEXTS.find((each) => typeof whole[each] === 'string') ?? '';
  const effects = areEffects(whole.effects) ? whole.effects : [];
  const turns = (element.effects ? view : known)?.inside('effects').inside('duration').attribute.unit;
  const isTold = textKey === '' && effects.length === 0;
  const given = isTold ? Object.values(whole).map(textsIn).find(Boolean) : whole[textKey];
  // A folded card has two lines; the other effects are below.
  const begun = given === undefined ? effects.slice(0, 1) : [];
  const numbered = () =>
    `${view.label.replace(/ies$/, 'y').replace(/s$/, '')} ${Number(element.level ?? at + 1)}`;
  const [words, more]: [string[], Html[]] = [[], []];
  let text = String(given ?? sayEffects(begun, turns).replace(SAYS_NOTHING, ''));
  const name = String(referred.title ?? element.name ?? link?.name ?? (text === '' ? numbered() : ''));
  for (const [inner, value] of [...view.membersOf(element), ...(added ?? [])]) {
    const { name: member, label, attribute } = inner;
    const isSaid = typeof value !== 'object' && (UNSAID.test(member) || name.endsWith(` ${value}`));
    if (inner.isInternal || isSaid || member === textKey || (isTold && given && textsIn(value) === given))
      continue;
    if (member === 'effects' && effects.length > 0) {
      const steady = effects.filter((each) => !hasLevels(each) && !begun.includes(each));
      const body = html`${lines(sayEffects(steady, turns))}${byLevel(effects)}`;
      if (body.text !== '') more.push(body);
    } else if (isListOfObjects(value)) {
      // Numbers that the effects have at each level are not repeated, and costs are above.
      const rows = value.filter((row) => !row.label || effects.every((each) => each.label !== row.label));
      if (rows.length > 0 && !rows.some(hasCost))
        more.push(html`<h3>${label}</h3>${table(rows, inner, context)}`);
    } else if (Array.isArray(value) && typeof value[0] === 'number' && value.length > 1) {
      const [first, last = null] = [value[0], value.at(-1)];
      const begin = first === last ? '' : `${formatNumber(first)}–`;
      // Less than 0 is no number of the game.
      if (first >= 0) words.push(`${label} ${begin}${formatValue(last, attribute, context.reader)}`);
    } else if (typeof value === 'object')
      more.push(rowList(rowsOf(inner, value, isObject(value) ? `${label} · ` : '', context)));
    else if (typeof value === 'string') {
      const shown = formatValue(value, attribute, context.reader);
      // An internal word such as `combatsp`, or an id, says nothing beside the kind.
      const isWord = name.includes(value) || isCode(value) || /^([a-z]+\d*|\d{4,})$/.test(shown);
      if (isWord || name.includes(shown) || shown === text) continue;
      if (shown.length > MAX_WORD) more.unshift(html`<p class="small">${shown}</p>`);
      else words.push(shown);
    } else if (value !== false && value !== 0)
      words.push(value === true ? label : `${label} ${formatValue(value, attribute, context.reader)}`);
  }
  for (const word of words) if (text.startsWith(`${word}\n`)) text = text.slice(word.length + 1);
  const badges = words.length > 0 && html` <span class="small muted">${words.join(' · ')}</span>`;
  const own = anchor(name, link?.href);
  const isEmpty = text === '' && more.length === 0;
  if (isEmpty && element.unnamed === true) return html``;
  if (isEmpty && words.length === 0) return Object.assign(html`${own}`, { isBare: true });
  if (isEmpty) return html`<p class="skill"><b>${own}</b>${badges}</p>`;
  // The summary element is a button, so it cannot contain links.
  return html`<details class="skill"${all.length === 1 && more.length === 0 && html` open`}><summary><b>${name}</b>${badges}<span class="begin small muted">${text}</span></summary>
    ${link && html`<p>${own}</p>`}${more}</details>`;
}

/** A card. If it is bare, it is only a name, which stands in a row with others. */
type Card = Html & { isBare?: boolean };

/** The texts of a list whose objects are nothing else. */
function textsIn(value: Json): string {
  const isText = (row: JsonObject) => Object.keys(row).every((name) => TEXTS.includes(name));
  return isListOfObjects(value) && value.every(isText) ? value.flatMap(Object.values).join('\n') : '';
}

const hasLevels = ({ per = null }: JsonObject) => Array.isArray(per) && per.length > 1;

/** The amounts of effects at each level of their skill: a table without the scopes and end tags that browsers know. */
function byLevel(effects: readonly JsonObject[]): Html | false {
  let levels = 0;
  const rows = effects.filter(hasLevels).map(({ per, label, stat, kind, unit, of, times }) => {
    const amounts = Array.isArray(per) ? per : [];
    levels = Math.max(levels, amounts.length);
    const cells = amounts.map((each) =>
      typeof each === 'number' ? formatNumber(each, Math.abs(each) < 10 ? 2 : 1) : '',
    );
    return html`<tr><th>${String(label ?? stat ?? kind)} <small>${unit === '%' && '%'}${of && ` of ${of}`}${times && ` × ${times}`}</small><td>${raw(cells.join('<td>'))}`;
  });
  if (rows.length === 0) return false;
  const heads = Array.from({ length: levels }, (_, at) => `<th>${at + 1}`).join('');
  const all = levels > 3 && html`<details><summary class="small">All levels</summary></details>`;
  const body = html`<table class="by-level"><thead><tr><th>Level</th>${raw(heads)}</thead><tbody>${rows}</tbody></table>`;
  return html`${all}${scroll('By level', body)}`;
}

/** A value with its name. */
interface Row {
  label: string;
  value: Content;
}

/** The rows of a value; of an object, those of its members. @param prefix the labels of the objects around it */
function rowsOf(view: AttributeView, value: Json, prefix: string, context: ViewContext): Row[] {
  if (isObject(value))
    return view.membersOf(value).flatMap(([inner, member]) => {
      if (inner.name === 'id' && typeof value.name === 'string') return [];
      const label = prefix + inner.label;
      if (inner.name !== 'name')
        return rowsOf(inner, member, isObject(member) ? `${label} · ` : prefix, context);
      return [{ label, value: anchor(String(member), linkTo(view.targets, value.id, context)?.href) }];
    });
  const shown = isListOfObjects(value) ? table(value, view, context) : show(value, view, context);
  return shown === '' ? [] : [{ label: prefix + view.label, value: shown }];
}

const plain = ({ value }: Row) => String(value).replace(/<[^>]*>/g, '');

/** Whether rows have the same label and value, as a link or not. Such rows are shown once. */
const isSame = (a: Row, b: Row) => a.label === b.label && plain(a) === plain(b);

function rowList(rows: readonly Row[]): Html {
  const isNew = (row: Row, at: number) => !rows.slice(0, at).some((each) => isSame(each, row));
  return html`<dl class="rows small">${rows
    .filter(isNew)
    .map(({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function valueIn(row: JsonObject, steps: readonly string[]): Json | undefined {
  let value: Json | undefined = row;
  for (const step of steps) value = isObject(value) ? ownValue(value, step) : undefined;
  return value;
}

/** A list of objects as a table: names first, then levels, then the rest; without columns that are empty or for programs. */
function table(list: readonly JsonObject[], view: AttributeView, context: ViewContext): Html {
  const { columns, begin } = planOf(list, view);
  if (columns.length > MANY_COLUMNS && list.length < columns.length / 2)
    return html`${list.map((row) => html`<div class="fold">${rowList(rowsOf(view, row, '', context))}</div>`)}`;
  const cellOf = (row: JsonObject, column: (typeof columns)[number]): Content => {
    const { view: own, steps, path, idSteps, targets } = column;
    const value = valueIn(row, steps) ?? null;
    if (value === null) return '';
    // A name links to the record whose id is beside it.
    const link = idSteps && linkTo(targets, valueIn(row, idSteps), context);
    if (link) return anchor(path.endsWith('name') ? String(value) : link.name, link.href);
    return show(value, own, context, own.unit === undefined ? formatValue : formatCell);
  };
  let rows = '';
  for (const row of list) {
    rows += '<tr>';
    for (const column of columns) rows += `<td>${write(cellOf(row, column))}`;
  }
  return scroll(view.label, html`${begin}${raw(rows)}</tbody></table>`);
}

/** The columns of the members of any row, including those inside objects. */
function planOf(list: readonly JsonObject[], view: AttributeView) {
  const found = new Set<AttributeView>();
  const visit = (object: JsonObject, outer: AttributeView) => {
    for (const name in object) {
      const inner = outer.inside(name);
      const value = object[name] ?? null;
      if (found.has(inner) || value === null || inner.isTranslation) continue;
      if (isObject(value)) visit(value, inner);
      else if (!Array.isArray(value) || value.length > 0) found.add(inner);
    }
  };
  for (const row of list) visit(row, view);
  let key = String(list.length > 1);
  for (const each of found) key += ` ${each.key}`;
  const plan = view.plans.get(key) ?? makePlan([...found], view, list.length > 1);
  view.plans.set(key, plan);
  return plan;
}

/** What tables of the same columns share: those for people, or all if there is none; and the beginning of the table, to its rows. */
function makePlan(views: readonly AttributeView[], outer: AttributeView, hasRows: boolean) {
  const all = views
    .map((each) => columnOf(each, outer))
    .sort((a, b) => a.rank - b.rank || a.view.place - b.view.place);
  const paths = new Set(all.map(({ path }) => path));
  const forPeople = all.filter(({ path, view: { attribute, isInternal: isHidden } }) => {
    const isId = /(^|\.)id$/.test(path) || (attribute.kind === 'id' && attribute.ref === undefined);
    const hasName = isId && paths.has(path.replace(/[^.]+$/, 'name'));
    return path === 'id' ? hasRows && !hasName : !hasName && !isHidden;
  });
  const columns = forPeople.length > 0 ? forPeople : all;
  // Classes of the table align its columns of numbers, so that no cell needs one.
  const classes = columns.flatMap(({ view: { attribute } }, at) =>
    isNumeric(attribute) ? `n${at + 1}` : [],
  );
  const heads = columns.map(
    ({ title, view: { attribute, unit } }) =>
      html`<th scope="col"${isNumeric(attribute) && html` class="number"`}>${title}${unit !== undefined && html` <small>${unit}</small>`}</th>`,
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
  return { view, path, steps, rank, idSteps, title: views.map(({ label }) => label).join(' · '), targets };
}

/** A value, or the elements of a list, with links to the records they refer to; empty for no value. */
function show(value: Json, view: AttributeView, context: ViewContext, format = formatValue): Content {
  if (!Array.isArray(value)) return value === null ? '' : showOne(value, view, context, format);
  let text = '';
  for (const part of value)
    if (part !== null) text += (text === '' ? '' : ', ') + write(showOne(part, view, context, format));
  return raw(text);
}

function showOne(part: Json, view: AttributeView, context: ViewContext, format: typeof formatValue): Content {
  const { reader } = context;
  const { attribute } = view;
  const { ref, kind } = attribute;
  if (isObject(part)) {
    const isNamed = typeof part.name === 'string';
    if (isNamed && context.hasLinks === false) return formatCell(part, attribute, reader);
    const link = linkTo([view.inside('id').attribute.ref ?? ''], part.id, context);
    const named = link === undefined || isNamed ? part : { ...part, name: link.name };
    return anchor(formatCell(named, attribute, reader), context.hasLinks === false ? undefined : link?.href);
  }
  if (ref === undefined && kind !== 'image') return format(part, attribute, reader);
  const isAddress = typeof part === 'string' && /^https:\/\/[^\s"'<>]+$/.test(part);
  if (kind === 'image' && isAddress) return anchor('Picture', part);
  return anchor(format(part, attribute, reader), linkTo([ref ?? ''], part, context)?.href);
}

function anchor(text: string, href: string | undefined): Content {
  return href === undefined ? text : html`<a href="${href}">${text}</a>`;
}

/** A link to a record in one of some collections; undefined if there is no such record. */
function linkTo(
  collections: readonly string[],
  id: Json | undefined,
  { find }: ViewContext,
): Entry | undefined {
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
