// The builds of a game, and the changes of each. Values are Pro's, so only their direction is shown.
import type { Change } from '../../../scripts/diff/compare.ts';
import type { BuildDiff } from '../../../scripts/diff/diff-builds.ts';
import * as diffs from '../../../scripts/diff/summary.ts';
import { TIERS } from '../../access/account.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Html, html } from '../../http/html.ts';
import { HttpProblem, quote } from '../../http/problem.ts';
import { gameOf, perGame } from '../data.ts';
import { dayBeside, formatDay, fullLabel, isInternal, type Known, wordsOf } from '../format.ts';
import { capital, type PageContent } from '../layout.ts';
import type { SitePage, Visit } from '../page-server.ts';
import * as pageParts from '../parts.ts';
import { tile } from '../tile.ts';

const MAX_NAMES = 10;
/** How many records are shown, of characters and of each dataset. */
const MAX_RECORDS = { characters: 80, dataset: 24 };

/** The changes of a build in `/api/{game}/history?build=`. */
interface Build extends diffs.BuildHistory {
  /** ISO 8601 UTC. */
  released_at: string;
  /** The release times of regions where they differ, by region. */
  released_in?: Record<string, string>;
  /** The datasets that are still those of an earlier build, by key. */
  carried_from?: Record<string, string>;
  /** Of the history of the build, if its lists are long. */
  pages?: number;
}

/** Reads the changes of a build that visitors see, on all pages of its history. */
const readBuild = perGame(async ({ view, services }: Visit, { slug }: GameBuild, build: string) => {
  const all: Build[] = [];
  for (let pages = 1; all.length < pages; pages = all[0]?.pages ?? 1) {
    const query = `build=${encodeURIComponent(build)}&page=${all.length + 1}`;
    const { builds } = await services.data.read<{ builds: [Build] }>(view, `/api/${slug}/history`, query);
    all.push(...builds);
  }
  const [first] = all;
  if (first === undefined) throw new Error(`the history of ${slug} has no build ${build}`);
  const added = all.flatMap(({ characters }) => characters.added);
  const changed = all.flatMap(({ characters }) => characters.changed);
  return { ...first, characters: { ...first.characters, added, changed } };
});

/** Whether a build changed the game, not only its data. */
const isPatch = (build: Build) => !diffs.describeBuild(build).startsWith(diffs.NO_CHANGES);

/** Reads the newest build that changed the game, not only its data. */
export async function readLastPatch(visit: Visit, game: GameBuild, back = 1): Promise<Build> {
  const patch = await readBuild(visit, game, game.builds.at(-back)?.build ?? game.build);
  return back === game.builds.length || isPatch(patch) ? patch : await readLastPatch(visit, game, back + 1);
}

/** A line about a build: when it came, who is new, and, unless it has the title of its game, what else changed. */
export function patchLine({ slug }: GameBuild, patch: Build, title = '', most = 4): Html {
  const names = namesOfNew(patch, most);
  const hasRest = title === '' || names === '';
  const [name, day] = [pageParts.buildName(patch), dayBeside(patch.build, patch.released_at)];
  return html`<a href="${pageParts.patchPath(slug, patch.build)}">${title && `${title} `}<b>${name}</b></a>
    <span class="small muted">${day !== name && day}</span>
    <span class="small">${names !== '' && html`New: ${names}. `}${hasRest && `${capital(diffs.describeBuild(patch))}.`}</span>`;
}

/** Names the new characters of a build, some and the number of the others: `A, B and 7 more`; empty if there are none. */
function namesOfNew({ previous, characters: { added } }: Build, most: number): string {
  if (previous === null) return '';
  const names = added.slice(0, most).map(({ name }) => name);
  return names.join(', ') + (added.length > most ? ` and ${added.length - most} more` : '');
}

/** A build that changed a character. */
export interface RecordChange {
  build: string;
  released_at: string;
  /** `new`, or the changed attributes. */
  what: string;
}

const MAX_FIELDS = 5;

/** Reads the builds that changed each character, newest first, without the first build of the game. */
export const readRecordChanges = perGame(async (visit: Visit, game) => {
  const model = await visit.services.data.list(visit.view, game, pageParts.CHARACTERS);
  const found = new Map<string, RecordChange[]>();
  for (const { build, released_at } of game.builds.toReversed()) {
    const { previous, characters } = await readBuild(visit, game, build);
    if (previous === null) continue;
    const add = (id: string, what: string) =>
      found.set(id, [...(found.get(id) ?? []), { build, released_at, what }]);
    for (const { id } of characters.added) add(id, 'new');
    for (const { id, fields } of characters.changed) {
      const labels = [...new Set(fields.map((key) => fullLabel(model?.known ?? new Map(), key)))];
      add(id, labels.slice(0, MAX_FIELDS).join(', ') + (labels.length > MAX_FIELDS ? ' …' : ''));
    }
  }
  return found;
});

const SIGNS = { up: ['▲', 'up'], down: ['▼', 'down'], both: ['▲▼', 'up and down'], none: ['', ''] } as const;
const MAX_DIRECTIONS = 6;

/**
 * Names the changed attributes, each once, with the direction of their numbers but without values. Attributes for programs are named only if there
 * are no others.
 */
function directionList(changes: readonly Change[], known: ReadonlyMap<string, Known>): Html {
  const named = changes.map((change) => ({ ...change, key: diffs.keyOf(change.path) }));
  const forPeople = named.filter(({ key }) => !isInternal(known.get(key) ?? { key }));
  const directions = new Map<string, keyof typeof SIGNS>();
  for (const { key, from, to } of forPeople.length > 0 ? forPeople : named) {
    const label = key === '' ? 'Everything' : fullLabel(known, key);
    const isNumber = typeof from === 'number' && typeof to === 'number';
    const direction = isNumber ? (to > from ? 'up' : 'down') : 'none';
    const before = directions.get(label) ?? 'none';
    const isSame = direction === 'none' || direction === before;
    directions.set(label, isSame ? before : before === 'none' ? direction : 'both');
  }
  // A stat is said once, without the values that it grows from.
  const own = [...directions].filter(
    ([label]) => !directions.has(label.replace(/^.* · /, '')) || !label.includes(' · '),
  );
  const left = own.length - MAX_DIRECTIONS;
  return html`<span class="badges small">${own.slice(0, MAX_DIRECTIONS).map(([label, direction]) => {
    const [sign, words] = SIGNS[direction];
    const arrow = html` <span aria-hidden="true">${sign}</span><span class="visually-hidden">${words}</span>`;
    return html`<span>${label}${sign !== '' && arrow}</span> `;
  })}${left > 0 && html`<span class="muted">and ${left} more</span>`}</span>`;
}

export const patchesPage: SitePage = {
  path: '/games/:game/patches',
  isCounted: true,
  async make(visit) {
    const game = gameOf(visit);
    const { builds, title } = game;
    const newestFirst = builds.toReversed();
    const patches = await Promise.all(newestFirst.map(({ build }) => readBuild(visit, game, build)));
    const lines = patches
      .filter(isPatch)
      .map((patch) => html`<li>${patchLine(game, patch, '', MAX_NAMES)}</li>`);
    return {
      title: `Patches of ${title}`,
      description: `The builds that changed ${title}, newest first, and what each of them changed.`,
      body: html`${pageParts.gameHead(visit.view, game, 'patches', `Patches of ${title}`)}<ol class="timed">${lines}</ol>`,
    };
  },
};

export const patchPage: SitePage = {
  path: '/games/:game/patches/:build',
  isCounted: true,
  make(visit) {
    const game = gameOf(visit);
    const { build = '' } = visit.params;
    return game.builds.some((each) => each.build === build)
      ? shownPatch(visit, game, build)
      : unseenPatch(visit, game);
  },
};

async function shownPatch(visit: Visit, game: GameBuild, build: string): Promise<PageContent> {
  const { view, services } = visit;
  const { slug, builds, title } = game;
  const at = builds.findIndex((entry) => entry.build === build);
  const [before, after] = [builds[at - 1], builds[at + 1]];
  const patch = await readBuild(visit, game, build);
  const heading = `${title} ${pageParts.buildName(patch)}`;
  const short = diffs.describeBuild(patch);
  const regions = Object.entries(patch.released_in ?? {}).map(
    ([region, time]) => `${region}: ${formatDay(time)}`,
  );
  const carried = Object.entries(patch.carried_from ?? {}).map(([key, from]) => `${key} (as in ${from})`);
  const hosts = (await services.data.list(view, game, pageParts.CHARACTERS))?.hosts ?? [];
  return {
    title: heading,
    description: `What build ${build} of ${title} changed: ${short}.`,
    scripts: ['patch'],
    pictureHosts: hosts,
    body: html`${pageParts.gameHead(view, game, 'patches', heading)}
      <p>${formatDay(patch.released_at)}: ${short}.</p>
      ${regions.length > 0 && html`<p class="small muted">${regions.join(', ')}</p>`}
      ${carried.length > 0 && html`<p class="muted">Not updated yet: ${carried.join(', ')}.</p>`}
      ${before !== undefined && html`${await publicPatch(visit, game, before.build, patch)}${proPatch(visit, slug, build, before.build)}`}
      <nav class="actions" aria-label="Other builds">
      ${before !== undefined && html`<a href="${pageParts.patchPath(slug, before.build)}">Previous: ${pageParts.buildName(before)}</a>`}
      ${after !== undefined && html`<a href="${pageParts.patchPath(slug, after.build)}">Next: ${pageParts.buildName(after)}</a>`}
      <a href="/games/${slug}/patches">All patches</a></nav>
      ${pageParts.pictureCredit(game, hosts, services.images)}`,
  };
}

/** The public part of a build's changes: the records, the attributes, and the directions. */
async function publicPatch(visit: Visit, game: GameBuild, from: string, patch: Build): Promise<Html> {
  const query = `from=${encodeURIComponent(from)}&to=${encodeURIComponent(patch.build)}`;
  const path = `/api/${game.slug}/diff`;
  const parts = diffs.arrangeDiff(await visit.services.data.read<BuildDiff>(visit.view, path, query));
  const shown = await Promise.all(parts.map((part) => partBody(visit, game, part, patch)));
  const corrections = parts
    .filter(({ ofData }) => ofData.length > 0)
    .map(({ key, ofData }) => html`<li>${wordsOf(key)}: ${ofData.join(', ')}</li>`);
  return html`<div id="public-patch">${shown}</div>
    ${corrections.length > 0 && pageParts.fold('Changes of the data, not of the game', html`<ul>${corrections}</ul>`)}`;
}

/** Returns the first of those that read the same, and how many there are in words. */
function mergeSame<T>(all: readonly T[], textOf: (each: T) => string): [first: T, times: string][] {
  const found = new Map<string, [T, number]>();
  for (const each of all) {
    const [first, count] = found.get(textOf(each)) ?? [each, 0];
    found.set(textOf(each), [first, count + 1]);
  }
  return [...found.values()].map(([first, count]) => [first, count > 1 ? ` × ${count}` : '']);
}

/** Whether records have codes instead of names, such as `UspMax_base` or an id with a number: these say nothing to players. */
const areCodes = (records: readonly diffs.Named[]) =>
  records.some(({ id, name }) => (name === id ? /\d/ : /^\w+_\w+$/).test(name));

/** The changes of a list: characters openly, others folded. */
async function partBody(visit: Visit, game: GameBuild, part: diffs.DiffPart, patch: Build) {
  const { view, services } = visit;
  const { key, added, removed, changed, changes, summary } = part;
  if (added.length + removed.length + changed.length + changes.length === 0) return false;
  const model = await services.data.list(view, game, key);
  const isRoster = key === pageParts.CHARACTERS;
  const most = isRoster ? MAX_RECORDS.characters : MAX_RECORDS.dataset;
  const known = model?.known ?? new Map();
  const all = model === undefined || areCodes(added) ? [] : pageParts.facesOf(model, added);
  const faces = mergeSame(all, ({ entry }) => `${entry.name}\n${entry.group}`).map(([face, times]) =>
    times === '' ? face : { ...face, note: face.entry.group + times },
  );
  const kindOf = new Map(isRoster ? patch.characters.changed.map(({ id, kind }) => [id, kind]) : []);
  const left = (count: number, what: string) =>
    count > most && html`<p class="small muted">and ${count - most} more ${what}</p>`;
  const names = (records: readonly diffs.Named[]) =>
    mergeSame(areCodes(records) ? [] : records, ({ name }) => name)
      .slice(0, most)
      .map(([{ name }, times]) => name + times)
      .join(', ');
  const kinds = [
    ['buff', 'Buffs'],
    ['nerf', 'Nerfs'],
    [undefined, isRoster ? 'Other changes' : 'Changed'],
  ] as const;
  const lists = kinds.map(([kind, title]) => {
    const own = changed.filter(({ id }) => kindOf.get(id) === kind);
    const said = (areCodes(own) ? [] : own).map((each) => ({
      ...each,
      text: directionList(each.changes, known),
    }));
    const lines = mergeSame(said, ({ name, text }) => name + text.text);
    const items = lines.slice(0, most).map(([{ id, name, text }, times]) => {
      const entry = model?.byId.get(id);
      const face = entry && tile(entry, services.images);
      const link = entry ? html`<a href="${entry.href}">${face} ${entry.name}</a>` : html`<b>${name}</b>`;
      return html`<li>${link}${times} ${text}</li>`;
    });
    const list = html`<h3>${title}: ${own.length}</h3><ul class="lines">${items}</ul>${left(lines.length, 'changed')}`;
    return own.length > 0 && list;
  });
  const news =
    faces.length > 0
      ? pageParts.faceList(faces.slice(0, most), services.images)
      : html`<p>${names(added)}</p>`;
  const content = html`${added.length > 0 && html`<h3>New: ${added.length}</h3>${news}${left(faces.length, 'new')}`}${lists}
    ${changes.length > 0 && html`<p>${directionList(changes, known)}</p>`}
    ${removed.length > 0 && html`<p><span class="badge badge-bad">Removed: ${removed.length}</span> ${names(removed)}</p>`}`;
  return isRoster
    ? html`<section><h2>Characters</h2>${content}</section>`
    : pageParts.fold(html`<b>${wordsOf(key)}</b> <span class="small muted">${summary}</span>`, content);
}

/** The place where a script shows each value before and after, if this tab has a Pro key. @param build empty if the address names it */
function proPatch({ services }: Visit, slug: string, build: string, before: string): Html {
  const [join] = services.pro.links;
  return html`<section class="notice" id="pro-patch" data-game="${slug}" data-build="${build}" data-before="${before}">
    <h2>Old and new numbers</h2><p>${
      build === ''
        ? `In its first ${TIERS.free.delayHours} hours, a build is for Pro accounts only.`
        : 'A Pro account shows each value before and after.'
    } <span class="signed-out">With a Pro account, <a href="/account">sign in</a> in this tab.</span>
    ${join === undefined ? html`<a href="/#plans">What Pro has</a>` : html`<a href="${join.address}">Join on ${join.name}</a>`}</p></section>`;
}

/** The page of a build that visitors do not see. It is the same whether or not the build exists. */
function unseenPatch(visit: Visit, game: GameBuild): PageContent {
  const { slug, title, build: newest, released_at } = game;
  const heading = `A build of ${title}`;
  const { delayHours } = TIERS.free;
  return {
    title: heading,
    scripts: ['patch'],
    problem: new HttpProblem(
      'unknown-build',
      `${slug} has no such build, or it is not public yet: a build is public ${delayHours} hours after its release; the newest public one is ${quote(newest)}`,
    ),
    body: html`${pageParts.gameHead(visit.view, game, 'build', heading)}
      <p>This build is not public yet, or there is no such build.</p>
      <p>A build is public ${delayHours} hours after its release. Until then, Pro accounts see it: an alert links here at
      once. The newest public build is <a href="${pageParts.patchPath(slug, newest)}">${pageParts.buildName(game)}</a>, released
      ${formatDay(released_at)}; <a href="/games/${slug}/patches">all builds</a>.</p>
      ${proPatch(visit, slug, '', '')}`,
  };
}
