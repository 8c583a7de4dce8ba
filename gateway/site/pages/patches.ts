import type { BuildDiff } from '../../../scripts/diff/diff-builds.ts';
import {
  arrangeDiff,
  type ChangedCharacter,
  type DiffPart,
  describeBuild,
  type Named,
} from '../../../scripts/diff/summary.ts';
import { TIERS } from '../../access/account.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import { HttpProblem, quote } from '../../http/problem.ts';
import { type Build, directionList, directionsOf, newIn, readBuild } from '../builds.ts';
import { addressOf, gameOf, type ListModel } from '../data.ts';
import { formatDay, wordsOf } from '../format.ts';
import type { PageContent } from '../layout.ts';
import type { SitePage, Visit } from '../page-server.ts';
import {
  CHARACTERS,
  type Face,
  faceList,
  facesOf,
  fold,
  gameHead,
  patchPath,
  pictureCredit,
} from '../parts.ts';

// The builds of a game, and the changes of each.

/** How many builds a page lists. */
const MAX_BUILDS = 50;
const MAX_NAMES = 10;
/** How many records are shown, of characters and of each dataset. */
const MAX_RECORDS = { characters: 80, dataset: 24 };

export const patchesPage: SitePage = {
  path: '/games/:game/patches',
  counts: 'always',
  relevantParams: (visit) => ({ game: gameOf(visit).slug }),
  relevantQuery(query, visit) {
    const page = pageIn(query);
    return page > 1 && page <= Math.ceil(gameOf(visit).builds.length / MAX_BUILDS) ? `page=${page}` : '';
  },
  async make(visit) {
    const game = gameOf(visit);
    const { builds, slug } = game;
    const page = pageIn(visit.query);
    const first = (page - 1) * MAX_BUILDS;
    const shown = builds.toReversed().slice(first, first + MAX_BUILDS);
    const patches = await Promise.all(shown.map(({ build }) => readBuild(visit, game, build)));
    const at = (next: number) => `/games/${slug}/patches${next > 1 ? `?page=${next}` : ''}`;
    return {
      title: `Patches of ${game.title}`,
      description: `The builds of ${game.title}, newest first, and what each of them changed.`,
      isUnlisted: page > 1,
      path: `/games/${slug}/patches`,
      width: 'wide',
      body: html`${gameHead(visit.view, game, 'patches', `Patches of ${game.title}`)}
        <ol class="patches">${patches.map((patch) => {
          const { build, released_at } = patch;
          const added = newIn(patch);
          const names = added.slice(0, MAX_NAMES).map(({ name }) => name);
          return html`<li><a href="${patchPath(slug, build)}"><b>${build}</b></a> <span class="small muted">${formatDay(released_at)}</span>
            <p>${describeBuild(patch)}${names.length > 0 && html`<span class="small muted">: ${names.join(', ')}${added.length > names.length && ' …'}</span>`}</p></li>`;
        })}</ol>
        ${
          builds.length > MAX_BUILDS &&
          html`<nav class="actions" aria-label="Pages">
          ${page > 1 && html`<a class="button quiet" rel="prev" href="${at(page - 1)}">Newer builds</a>`}
          ${first + MAX_BUILDS < builds.length && html`<a class="button quiet" rel="next" href="${at(page + 1)}">Older builds</a>`}</nav>`
        }`,
    };
  },
};

/** @returns 1 if it is not a whole number */
function pageIn(query: string): number {
  const page = Number(new URLSearchParams(query).get('page'));
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

export const patchPage: SitePage = {
  path: '/games/:game/patches/:build',
  counts: 'always',
  relevantParams(visit) {
    const { slug, builds } = gameOf(visit);
    return { game: slug, build: builds.find(({ build }) => build === visit.params.build)?.build ?? '' };
  },
  make: (visit) =>
    visit.params.build === '' ? unseenPatch(visit, gameOf(visit)) : shownPatch(visit, gameOf(visit)),
};

async function shownPatch(visit: Visit, game: GameBuild): Promise<PageContent> {
  const { view, services } = visit;
  const { slug, builds } = game;
  const { build = '' } = visit.params;
  const at = builds.findIndex((entry) => entry.build === build);
  const [before, after] = [builds[at - 1]?.build, builds[at + 1]?.build];
  const summary = await readBuild(visit, game, build);
  const heading = `${game.title} ${build}`;
  const short = describeBuild(summary);
  const regions = Object.entries(summary.released_in ?? {});
  const carried = Object.entries(summary.carried_from ?? {}).map(
    ([dataset, from]) => `${dataset} (as in ${from})`,
  );
  const characters = await services.data.list(view, game, CHARACTERS);
  return {
    title: heading,
    description: `What build ${build} of ${game.title} changed: ${short}.`,
    path: patchPath(slug, build),
    width: 'wide',
    scripts: ['patch'],
    pictureHosts: characters?.hosts,
    body: html`${gameHead(view, game, 'build', heading)}
      <p class="lead">${formatDay(summary.released_at)}: ${short}.</p>
      ${regions.length > 0 && html`<p class="small muted">${regions.map(([region, time]) => html`<span>${region}: ${formatDay(time)}</span> `)}</p>`}
      ${carried.length > 0 && html`<p class="muted">Not updated yet: ${carried.join(', ')}.</p>`}
      ${before !== undefined && html`${await publicPatch(visit, game, before, summary)}${proPatch(visit, slug, build, before)}`}
      <nav class="actions" aria-label="Other builds">
      ${before !== undefined && html`<a href="${patchPath(slug, before)}">Previous: ${before}</a>`}
      ${after !== undefined && html`<a href="${patchPath(slug, after)}">Next: ${after}</a>`}
      <a href="/games/${slug}/patches">All builds</a></nav>
      ${pictureCredit(game, characters?.hosts ?? [], services.images)}`,
  };
}

/** The public part of a build's changes: the records, the attributes, and the directions. */
async function publicPatch(visit: Visit, game: GameBuild, from: string, summary: Build): Promise<Html> {
  const { view, services } = visit;
  const query = `from=${encodeURIComponent(from)}&to=${encodeURIComponent(summary.build)}`;
  const kinds = new Map(summary.characters.changed.map(({ id, kind }) => [id, kind]));
  const parts = arrangeDiff(await services.data.read<BuildDiff>(view, `/api/${game.slug}/diff`, query));
  const shown = await Promise.all(
    parts
      .filter(
        ({ added, removed, changed, changes }) =>
          added.length + removed.length + changed.length + changes.length > 0,
      )
      .map(async (part) =>
        partBody(visit, game, part, kinds, await services.data.list(view, game, part.key)),
      ),
  );
  const ofData = parts.filter((part) => part.ofData.length > 0);
  return html`<div id="public-patch">${shown}</div>
    ${
      ofData.length > 0 &&
      fold(
        'Changes of the data, not of the game',
        html`<ul>${ofData.map(({ key, ofData: words }) => html`<li>${wordsOf(key)}: ${words.join(', ')}</li>`)}</ul>`,
      )
    }`;
}

function partBody(
  { services }: Visit,
  { slug }: GameBuild,
  part: DiffPart,
  kindsOfRoster: ReadonlyMap<string, ChangedCharacter['kind']>,
  model: ListModel | undefined,
): Html {
  const { key, added, removed, changed, changes } = part;
  const isRoster = key === CHARACTERS;
  const most = isRoster ? MAX_RECORDS.characters : MAX_RECORDS.dataset;
  const known = model?.known ?? new Map();
  const faces = model === undefined ? [] : facesOf(slug, model, added);
  const groups = isRoster ? faces : groupByName(faces);
  const news =
    added.length > 0 &&
    html`<h3>${isRoster ? 'New' : `New: ${added.length}`}</h3>${
      groups.length > 0
        ? faceList(groups.slice(0, most), services.images)
        : html`<p>${names(added, most)}</p>`
    }${left(groups.length - most, 'new')}`;
  const described = changed.map((record) => {
    const directions = directionsOf(record.changes, known);
    const kind = (isRoster && kindsOfRoster.get(record.id)) || ('other' as const);
    return { record, directions, kind };
  });
  const kinds = [
    ['buff', 'Buffs'],
    ['nerf', 'Nerfs'],
    ['other', isRoster ? 'Other changes' : 'Changed'],
  ] as const;
  const lists = kinds.map(([kind, title]) => {
    const own = described.filter((each) => each.kind === kind);
    return (
      own.length > 0 &&
      html`<h3>${title}: ${own.length}</h3><ul class="lines">${own
        .slice(0, most)
        .map(
          ({ record, directions }) =>
            html`<li>${nameOf(slug, key, record, model)} ${directionList(directions)}</li>`,
        )}</ul>${left(own.length - most, 'changed')}`
    );
  });
  const content = html`${news}${lists}
    ${changes.length > 0 && html`<p>${directionList(directionsOf(changes, known))}</p>`}
    ${removed.length > 0 && html`<p><span class="badge badge-bad">Removed</span> ${names(removed, most)}</p>`}`;
  return isRoster
    ? html`<section><h2>Characters</h2>${content}</section>`
    : fold(html`<b>${wordsOf(key)}</b> <span class="small muted">${part.summary}</span>`, content);
}

function nameOf(slug: string, key: string, { id, name }: Named, model: ListModel | undefined): Content {
  const entry = model?.entries[model.places.get(id) ?? -1];
  return entry === undefined
    ? html`<b>${name}</b>`
    : html`<a href="${addressOf(slug, key, id)}">${entry.name}</a>`;
}

function names(records: readonly Named[], most: number): string {
  return records
    .slice(0, most)
    .map(({ name }) => name)
    .join(', ');
}

function left(count: number, what: string): Html | false {
  return count > 0 && html`<p class="small muted">and ${count} more ${what}</p>`;
}

/** Joins records with the same name, such as a banner that returns, into one face with their number. */
function groupByName(faces: readonly Face[]): Face[] {
  const groups = new Map<string, Face[]>();
  for (const face of faces) groups.set(face.entry.name, [...(groups.get(face.entry.name) ?? []), face]);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : others.length === 0
        ? [first]
        : [{ ...first, entry: { ...first.entry, name: `${first.entry.name} × ${others.length + 1}` } }],
  );
}

/** The place where a script shows each value before and after, if this tab has a Pro key. @param build empty if the address names it */
function proPatch({ services }: Visit, slug: string, build: string, before: string): Html {
  const [join] = services.pro.links;
  return html`<section class="notice" id="pro-patch" data-game="${slug}" data-build="${build}" data-before="${before}">
    <h2>Old and new numbers</h2><p>${
      build === ''
        ? `In its first ${TIERS.free.delayHours} hours, a build is for Pro accounts only.`
        : 'A Pro account shows each value before and after.'
    } With a Pro account, <a href="/account">sign in</a> in this tab.
    ${join === undefined ? html`<a href="/#plans">What Pro has</a>` : html`<a href="${join.address}">Join on ${join.name}</a>`}</p></section>`;
}

/** The page of a build that visitors do not see. It is the same whether or not the build exists. */
function unseenPatch(visit: Visit, game: GameBuild): PageContent {
  const heading = `A build of ${game.title}`;
  const { slug, build: newest, released_at } = game;
  const { delayHours } = TIERS.free;
  return {
    title: heading,
    path: `/games/${slug}/patches`,
    width: 'wide',
    scripts: ['patch'],
    problem: new HttpProblem(
      'unknown-build',
      `${slug} has no such build, or it is not public yet: a build is public ${delayHours} hours after its release; the newest public one is ${quote(newest)}`,
    ),
    body: html`${gameHead(visit.view, game, 'build', heading)}
      <p class="lead">This build is not public yet, or there is no such build.</p>
      <p>A build is public ${delayHours} hours after its release. Until then, Pro accounts see it: an alert links here at
      once. The newest public build is <a href="${patchPath(slug, newest)}">${newest}</a>, released
      ${formatDay(released_at)}; <a href="/games/${slug}/patches">all builds</a>.</p>
      ${proPatch(visit, slug, '', '')}`,
  };
}
