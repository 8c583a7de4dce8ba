// The pages of a character, of a dataset's record, and of a dataset that is one object.
import { type Json, type JsonObject, ownValue } from '../../../scripts/format/dist-format.ts';
import { findNearest, groupBy } from '../../../scripts/text.ts';
import * as costsApi from '../../api/costs.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Html, html } from '../../http/html.ts';
import { HttpProblem, quote } from '../../http/problem.ts';
import * as site from '../data.ts';
import { dayBeside, formatNumber, formatValue, type Known, labelOf, once, wordsOf } from '../format.ts';
import { capital, type PageContent, sample } from '../layout.ts';
import { START, writeListState } from '../list-state.ts';
import { COUNTDOWN_MS, type SitePage, type Visit } from '../page-server.ts';
import * as pageParts from '../parts.ts';
import {
  AttributeView,
  ownerOf,
  sectionsOf,
  stepTables,
  stripOf,
  targetsOf,
  type ViewContext,
} from '../record-view.ts';
import { type Entry, hueOf, tile } from '../tile.ts';
import { runsOf } from './game.ts';
import { type RecordChange, readRecordChanges } from './patches.ts';

/** How much of an unknown id is shown and searched for. */
export const MAX_ID_CHARS = 64;
const MAX_STRIP = 8;
const MAX_CHIPS = 5;
const MAX_RELATED = 18;
const MAX_NEAR = 6;
/** The parameters that choose which costs are added up: levels of the character, and of its talents. */
const CHOICES = ['from', 'to', 'talents'];

export const recordPage: SitePage = {
  path: '/games/:game/:dataset/:id',
  isCounted: true,
  keepMs: COUNTDOWN_MS,
  relevantQuery(query, { params }) {
    const given = new URLSearchParams(params.dataset === pageParts.CHARACTERS ? query : '');
    const textOf = (name: string) =>
      given
        .getAll(name)
        .join()
        .replace(/\s*(,|^|$)\s*/g, '$1');
    const chosen = CHOICES.map((name) => [name, textOf(name).slice(0, MAX_ID_CHARS)]);
    return new URLSearchParams(Object.fromEntries(chosen.filter(([, text]) => text !== ''))).toString();
  },
  async make(visit) {
    const game = site.gameOf(visit);
    const { dataset: key = '', id = '' } = visit.params;
    const model = await visit.services.data.list(visit.view, game, key);
    if (model === undefined || model.entries.length === 0) {
      const detail = `${game.title} has no list ${quote(key)} whose records have pages`;
      throw new site.NearProblem('unknown-dataset', detail, [[`/games/${game.slug}`, game.title]]);
    }
    const entry = model.byId.get(id);
    if (entry) return await recordContent(visit, game, model, entry);
    const current = model.byId.get(game.currentIds.get(key)?.get(id) ?? '');
    if (current) return { location: current.href };
    throw unknownRecord(game, model, id.slice(0, MAX_ID_CHARS));
  },
};

/** A record, with what its page needs. */
interface Shown {
  visit: Visit;
  game: GameBuild;
  model: site.ListModel;
  id: string;
  record: JsonObject;
  context: ViewContext;
  costs: costsApi.CostList[];
  references: readonly site.Referrers[];
}

async function recordContent(visit: Visit, game: GameBuild, model: site.ListModel, entry: Entry) {
  const { services } = visit;
  const { key, label, known } = model;
  const { id, name } = entry;
  const path = `/api/${game.slug}/${encodeURIComponent(key)}/${encodeURIComponent(id)}`;
  const record = site.recordOf(game, key, id) ?? {};
  const context = await readContext(visit, game, key);
  const costs = costsApi.findCosts(record, (each) => known.get(each)?.skills);
  const references = (await services.data.references(visit.view, game, key)).get(id) ?? [];
  const hosts = [...new Set([...context.hosts, ...references.flatMap((each) => each.model.hosts)])];
  const shown: Shown = { visit, game, model, id, record, context, costs, references };
  const strip = stripOf(record, context).slice(0, MAX_STRIP);
  const facts = strip.map(([what, text]) => html`<div><dt>${what}</dt><dd>${text}</dd></div>`);
  const chips = chipsOf(shown);
  const sections = sectionsOf(record, context, costs, new Set(chips.map((chip) => chip.key)));
  const isName = (each: string) => context.root.inside(each).isTranslation && record[each] !== record.name;
  const languages = Object.keys(record).flatMap((each) => (isName(each) ? each.slice('name_'.length) : []));
  const names = languages.map(
    (lang) =>
      html`<div><dt>${languageName(lang)}</dt><dd lang="${lang.replaceAll('_', '-')}">${String(record[`name_${lang}`])}</dd></div>`,
  );
  const isCharacter = key === pageParts.CHARACTERS;
  const runs = isCharacter && (await runsOf(visit, game, id));
  const [skilled, folded] = [true, false].map((is) =>
    sections.filter(({ kind }) => (kind === 'skill') === is),
  );
  const skills = skilled?.map(({ title, body }) => html`<section><h2>${title}</h2>${body}</section>`);
  // What follows a semicolon is about other attributes.
  const level = known.get('stats')?.level?.replace(/;.*|`/gs, '') ?? '';
  return {
    title: `${name}, ${game.title}`,
    description: `${name}, ${label.toLowerCase()} of ${game.title}: ${chips.map(({ text }) => text).join(', ')}.`,
    pictureHosts: hosts,
    isUnlisted: visit.query !== '',
    body: html`<article class="record">
      <div class="head hue-${hueOf(entry.group)}"><p class="crumbs small muted"><a href="/games">Games</a> / <a href="/games/${game.slug}">${game.title}</a> /
      <a href="${site.listAddressOf(game.slug, key)}">${label}</a></p>
      <div class="game-title row">${tile(entry, services.images, true)}<h1>${name}</h1></div>
      ${pageParts.chipLinks(chips.map((chip) => [chip.href, html`<span class="muted">${chip.label}</span> ${chip.text}`]))}
      ${pageParts.pictureButton(hosts, services.images)}
      ${facts.length > 0 && html`<dl class="facts">${facts}<div><dt>${capital(level)}</dt></div></dl>`}</div>
      ${isCharacter ? [totals(shown, name), skills] : [skills, totals(shown, name)]}
      ${isCharacter && html`${runs}${changesPart(game, (await readRecordChanges(visit, game, '')).get(id) ?? [])}`}
      <div class="folded">${folded?.map(({ title, body, key: of }) => pageParts.fold(title, body, sections.length < 3 || (of === '' && !isCharacter)))}
      ${names.length > 0 && pageParts.fold('Names in other languages', html`<dl class="rows small">${names}</dl>`)}
      ${usedBy(shown, runs ? 'banners' : '')}
      ${pageParts.fold('For programs', sample(services.publicUrl(), path))}</div>
      ${neighbours(game, model, entry)}
      ${pageParts.pictureCredit(game, hosts, services.images, false)}</article>`,
  };
}

const gapsIn = once((known: site.ListModel['known']) => costsApi.findGaps([...known.values()]));

/** The total costs of a record and those of each list; for a character, between the levels in the address, and what they lack. */
function totals({ visit, model, costs: found, context }: Shown, name: string): Html | false {
  const isCharacter = model.key === pageParts.CHARACTERS;
  const { uncounted, costs } = isCharacter ? gapsIn(model.known) : { uncounted: [], costs: [] };
  const missing = costsApi.lackedBy(found, costs);
  if (found.length === 0 && missing.length === 0) return false;
  const labelFor = (key: string) =>
    context.root.inside(key).attribute.label ?? context.root.inside(key.split('.')[0] ?? '').label;
  const lacks = [...new Set(missing.map(labelFor))].join(', ');
  const unknown = lacks && html`<p class="small muted">No costs in the data: ${lacks}.</p>`;
  if (found.length === 0) return html`<section><h2 id="totals">Total costs</h2>${unknown}</section>`;
  const given = new URLSearchParams(visit.query);
  const labels = { from: 'From level', to: 'to', talents: 'Skill levels' };
  const highest = costsApi.highestOf(found, model.known.get('stats')?.level);
  let [chosen, fault]: [costsApi.Levels, string] = [{}, ''];
  try {
    if (given.size > 0)
      chosen = costsApi.readLevels([...given], found, highest, (list) => ownerOf(list, context));
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    fault = error.message.replace(/^(from|to|talents)|to$/g, (each) => `"${ownValue(labels, each)}"`);
  }
  const begin = (chosen.from ?? 1) > 1 ? ` from level ${chosen.from}` : '';
  const range = `${begin} to level ${chosen.to ?? highest}`;
  const said: string[] = [];
  const sums = costsApi.sumBetween(found, chosen);
  const groups = groupBy(sums, ({ key }) => key.split('.')[0] ?? '');
  const parts = groups.map((own) => {
    const view = context.root.inside(own[0].key.split('.')[0] ?? '');
    const label = labelFor(own[0].key);
    const lists = found.filter(({ key }) => own.some((part) => part.key === key));
    const isLevelled = lists.some(costsApi.isRange);
    if (isLevelled || own.some(({ steps }) => steps > 0)) said.push(label + (isLevelled ? range : ''));
    const materials = costsApi.addUp(own.flatMap((part) => part.materials));
    const texts = materials.map((each) => `${each.name} × ${formatNumber(each.count)}`).join(', ');
    return pageParts.fold(label, html`<p class="small">${texts}</p>${stepTables(lists, view, context)}`);
  });
  const field = (name: 'from' | 'to', usual: number) =>
    html`<label>${labels[name]} <input name="${name}" inputmode="numeric" pattern="[0-9 ]*" size="3" value="${given.get(name) ?? usual}"></label> `;
  const choices = costsApi.skillsIn(found, chosen.talents).map((skill) => {
    const { list, base, lowest, highest: top } = skill;
    const options = Array.from({ length: top - lowest + 1 }, (_, at) => {
      const level = lowest + at;
      const mastery = base > 0 && level > base && `${labelFor(list.key)} ${level - base}`;
      const word = mastery || (top > 1 ? level : ['no', 'yes'][level]);
      return html`<option value="${level}"${level === skill.level && html` selected`}>${word}`;
    });
    return html`<label>${capital((skill.name || ownerOf(list, context)).replace(`${name}: `, ''))} <select name="talents">${options}</select></label> `;
  });
  const hasRange = found.some(costsApi.isRange);
  const fields = html`<form class="row" action="#totals">${hasRange && [field('from', 1), field('to', highest)]}
    ${choices}<button class="quiet">Count</button></form>`;
  const all = costsApi.addUp(sums.flatMap(({ materials }) => materials));
  return html`<section><h2 id="totals">Total costs</h2>${isCharacter && (hasRange || choices.length > 0) && fields}
    ${fault && html`<p role="alert">${fault}.</p>`}
    <div class="fold"><b>${capital(said.join(', ').toLowerCase())}</b>${costList(all, visit, context)}
    ${uncounted.length > 0 && html`<p class="small muted">Not included: ${uncounted.join('; ')}.</p>`}${unknown}</div>${parts}</section>`;
}

function costList(materials: readonly costsApi.Cost[], { services }: Visit, { find }: ViewContext): Html {
  const faces = materials.map(({ id = '', name, count }) => {
    const entry = find('materials', id);
    const unknown = { id, href: '', name, group: '', rarity: 2, picture: undefined };
    return { entry: entry ?? unknown, href: entry?.href, note: html`<b>${formatNumber(count)}</b>` };
  });
  return pageParts.faceList(faces, services.images) || html`<p class="small muted">Nothing.</p>`;
}

/** Reads the context of the records of a list, or of an object: the lists they refer to, with the records of their skills. */
export const readContext = site.perGame(
  async ({ view, services }: Visit, game, key): Promise<ViewContext> => {
    const { data } = services;
    const { known } = (await data.list(view, game, key)) ?? (await data.describe(view, game, key));
    const refs = [...known.values()].flatMap(
      (each) => each.ref ?? (each.key.endsWith('.id') ? targetsOf(each.key, known) : []),
    );
    const wanted = new Set(['materials', ...refs]);
    const find = await data.finder(view, game, wanted);
    const root = new AttributeView(known);
    const views = new Map<string, AttributeView>();
    for (const each of wanted)
      views.set(each, new AttributeView((await data.list(view, game, each))?.known ?? new Map()));
    return {
      root,
      find,
      hosts: await data.hosts(view, game, [key, 'materials']),
      recordOf: (list, id) => site.recordOf(game, list, id),
      viewOf: (list) => views.get(list),
      images: services.images,
      reader: { lang: '', nameOf: (list, id) => find(list, id)?.name },
    };
  },
);

/** The attributes that group the records of a list, each with the chips of its values, made once. */
const groupsOf = once(({ side, known }: site.ListModel) => {
  const isGroup = ({ key }: Known) => !/\.|^precision$/.test(key) && known.get(key)?.kind !== 'date';
  const groups = side.filter((each) => each.form === 'choices' && !each.list && isGroup(each));
  const chips = () => new Map<Json, { key: string; label: string; text: string; href: string }>();
  return groups.map(({ key, label }) => ({ key, label, chips: chips() }));
});

/** The values that group a record, each with a link to the list of all records that have it. */
function chipsOf({ game: { slug }, model, record, context: { reader } }: Shown) {
  const texts = new Set<string>();
  const found = groupsOf(model).flatMap(({ key, label, chips }) => {
    const value = ownValue(record, key) ?? false;
    // A property that is true says more than one that is false.
    if (value === false || (value === 0 && key !== model.tile.rarity)) return [];
    const filters = [{ key, operator: '', value: String(value) }];
    const chip = chips.get(value) ?? {
      key,
      label,
      text: formatValue(value, model.known.get(key) ?? { key }, reader),
      href: `${site.listAddressOf(slug, model.key)}?${writeListState({ ...START, filters })}`,
    };
    chips.set(value, chip);
    return value === true || texts.size < texts.add(chip.text).size ? chip : [];
  });
  return found.slice(0, MAX_CHIPS);
}

/** The builds that changed a character, with the attributes but without values. */
function changesPart({ slug }: GameBuild, changes: readonly RecordChange[]): Html | false {
  const lines = changes.map(
    ({ build, released_at, what }) =>
      html`<li><a href="${pageParts.patchPath(slug, build)}">${build}</a> <span class="small muted">${dayBeside(build, released_at)}</span> ${what}</li>`,
  );
  const count = `${changes.length} ${changes.length === 1 ? 'patch' : 'patches'}`;
  return (
    changes.length > 0 && html`<section><h2>Changed in ${count}</h2><ul class="lines">${lines}</ul></section>`
  );
}

/** The records that refer to a record, by list. @param above a list that is shown above */
function usedBy({ visit, game, id, record, references }: Shown, above: string): Html | false {
  // Costs are added up above, and a list of the record, such as its skills, is not shown again.
  const isAbove = (list: string) => list.endsWith('_costs') || list === above || Array.isArray(record[list]);
  const others = references.filter(({ model }) => !isAbove(model.key));
  const found = others.map(({ model, attribute, ids }) => {
    const shown = ids.slice(0, MAX_RELATED).map((each) => ({ id: each }));
    const title = `${model.label} · ${labelOf(model.known.get(attribute.replace(/\.id$/, '')) ?? { key: attribute })}`;
    const query = `${encodeURIComponent(attribute)}=${encodeURIComponent(id)}`;
    const all = html`<p><a href="${site.listAddressOf(game.slug, model.key)}?${query}" rel="nofollow">All ${ids.length} in ${title}</a></p>`;
    return html`<h2>${title}</h2>${pageParts.faceList(pageParts.facesOf(model, shown), visit.services.images)}${ids.length > shown.length && all}`;
  });
  return found.length > 0 && pageParts.fold('Used by', html`${found}`);
}

/** The previous and next record of the list, and the comparison. */
function neighbours({ slug }: GameBuild, { key, entries }: site.ListModel, current: Entry): Html {
  const place = entries.indexOf(current);
  const link = (at: number, word: string) => {
    const entry = entries[at];
    return entry && html`<a href="${entry.href}">${word}: ${entry.name}</a>`;
  };
  return html`<nav class="actions" aria-label="Neighbours">
    ${key === pageParts.CHARACTERS && html`<a class="button quiet" href="/games/${slug}/compare?ids=${encodeURIComponent(current.id)}">Compare with others</a>`}
    ${link(place - 1, 'Previous')}${link(place + 1, 'Next')}</nav>`;
}

/** A record that visitors do not see, with those that are near. */
function unknownRecord(game: GameBuild, { key, label, entries }: site.ListModel, id: string) {
  const names = entries.flatMap((entry) => [entry.id, entry.name]);
  const nearest = findNearest(id, names);
  const near = entries.filter((entry) => entry.id === nearest || entry.name === nearest);
  const links = [...near.slice(0, MAX_NEAR), { href: site.listAddressOf(game.slug, key), name: label }];
  return new site.NearProblem(
    key === pageParts.CHARACTERS ? 'unknown-character' : 'unknown-record',
    `${game.title} has no record with the id ${quote(id)} in ${key}, or it is not public yet`,
    links.map(({ href, name }) => [href, name]),
  );
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });
const languages = new Map<string, string>();

/** `Japanese` for `ja`. */
export function languageName(code: string): string {
  const known = languages.get(code);
  if (known !== undefined) return known;
  // The codes are those of data, and Intl refuses what looks like none.
  const isCode = /^[a-z]{2,3}(_[a-z]{2,4})?$/i.test(code);
  const name = (isCode ? LANGUAGES.of(code.replaceAll('_', '-')) : undefined) ?? code;
  languages.set(code, name);
  return name;
}

export async function objectPage(visit: Visit, game: GameBuild, key: string): Promise<PageContent> {
  const { view, services } = visit;
  const path = `/api/${game.slug}/${encodeURIComponent(key)}`;
  const { data: record = {} } = await services.data.read<{ data?: JsonObject }>(view, path);
  const sections = sectionsOf(record, await readContext(visit, game, key));
  const heading = `${wordsOf(key)} of ${game.title}`;
  return {
    title: heading,
    description: `${heading}, as build ${game.build} has it.`,
    body: html`${pageParts.gameHead(view, game, key, heading)}
      ${sections.map(({ title, body }) => html`<section><h2>${title}</h2>${body}</section>`)}
      ${pageParts.fold('For programs', sample(services.publicUrl(), path))}`,
  };
}
