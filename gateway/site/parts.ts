// Elements that several pages share: the head of a game, cards, links to records, the line of a build.
import { asOf } from '../../scripts/format/dist-format.ts';
import type { View } from '../data/catalog.ts';
import { CHARACTERS, type GameBuild } from '../data/game-build.ts';
import { type Content, type Html, html } from '../http/html.ts';
import { gamesOf, type ListedGame, type ListModel, listAddressOf, listsOf } from './data.ts';
import { countOf, formatDay, formatNumber, wordsOf } from './format.ts';
import { cover, type Entry, hueOf, type ImageMode, tile } from './tile.ts';

/** The datasets that are shown as a timeline. */
export const TIMED = ['banners', 'events'] as const;

/** The head of each page of a game: its name, and links to its other pages. */
export function gameHead(view: View, game: GameBuild, current: string, heading = game.title): Html {
  const { slug, title } = game;
  const listed = gamesOf(view).find((each) => each.slug === slug);
  return html`<div class="head hue-${hueOf(slug)}">
    <p class="crumbs small muted"><a href="/games">Games</a>${listed && html` · as of ${formatDay(asOf(game.entry).characters ?? '').replace(/^\d+ /, '')} ${ageBadge(listed)}`}</p>
    <div class="game-title row">${cover(game)}<h1>${heading}</h1></div>
    <nav class="tabs" aria-label="${title}">${tabsOf(game).map(
      ([path, label]) =>
        html`<a href="/games/${slug}${path && `/${path}`}"${path === current && html` aria-current="page"`}>${label}</a>`,
    )}</nav></div>`;
}

/** The pages of a game. */
export function tabsOf(game: GameBuild): (readonly [path: string, label: string])[] {
  const timed = listsOf(game).filter(({ key }) => TIMED.some((each) => each === key));
  return [
    ['', 'Overview'],
    ['explore', 'Characters'],
    ['compare', 'Compare'],
    ...timed.map(({ key, label }) => [key, label] as const),
    ['patches', 'Patches'],
  ];
}

/** How many days a game's characters are behind, or the age of its build if the cadence is unknown. */
export function ageBadge({ age_days, cadence_days, behind_days, successor }: ListedGame): Html | false {
  const badge = (text: string, level: string) => html`<span class="badge badge-${level}">${text}</span>`;
  if (successor !== undefined) return badge('ended', 'none');
  if (age_days === undefined) return false;
  if (typeof behind_days !== 'number' || !cadence_days)
    return badge(`${countOf(age_days, 'day')} old`, 'none');
  if (behind_days === 0) return badge('up to date', 'good');
  return badge(`${countOf(behind_days, 'day')} behind`, behind_days <= cadence_days ? 'warn' : 'bad');
}

/** A game in a list of games: its genre, its size, its age. */
export function gameCard(game: ListedGame): Html {
  const { slug, title, build, released_at, as_of, counts } = game;
  return html`<li><a class="card game-card" href="/games/${slug}">${cover(game)}
    <span class="card-title">${title}</span>
    <span class="small muted">${countOf(counts.characters, 'character')} · ${countOf(counts.datasets, 'dataset')}</span>
    <span class="small muted fresh">${[...(/^[\d-]{7,}$/.test(build) ? [] : [build]), `as of ${formatDay(as_of[CHARACTERS] ?? released_at)}`].join(', ')}</span>
    <span>${ageBadge(game)}</span></a></li>`;
}

export interface Face {
  entry: Entry;
  /** undefined without a page. */
  href: string | undefined;
  /** Distinguishes it from others; its group by default. */
  note?: Content;
}

/** Returns the faces of the records that exist in a list, in the order of their ids. */
export function facesOf(model: ListModel, records: readonly { id?: unknown }[]): Face[] {
  return records.flatMap(({ id }) => {
    const entry = model.byId.get(String(id));
    return entry === undefined ? [] : [{ entry, href: entry.href }];
  });
}

/** Records with their tiles, each a link. */
export function faceList(faces: readonly Face[], images: ImageMode, isLarge = false): Html | false {
  if (faces.length === 0) return false;
  const items = faces.map(({ entry, href, note }) => {
    const { title, group } = entry;
    const [name, about] =
      title === undefined || note !== undefined ? [entry.name, note ?? group] : [group, title];
    return html`<li><a${href !== undefined && html` href="${href}"`}>${tile(entry, images, isLarge)}<span>${name}${
      about !== '' && html`<small>${about}</small>`
    }</span></a></li>`;
  });
  return html`<ul class="faces${isLarge && ' large-faces'}">${items}</ul>`;
}

/** The consent to load a page's pictures; nothing if it has none, or if they are shown to all or nobody. */
export function pictureButton(hosts: readonly string[], mode: ImageMode): Html | false {
  if (hosts.length === 0 || mode !== 'ask') return false;
  return html`<button type="button" class="quiet with-script show-pictures" data-hosts="${hosts.join(' ')}">Show pictures from ${hosts.join(', ')}</button>`;
}

/** The sources of a page's pictures; nothing if it has none. */
export function pictureCredit(
  game: Pick<GameBuild, 'images' | 'title'> | undefined,
  hosts: readonly string[],
  mode: ImageMode,
  hasButton = true,
): Html | false {
  if (hosts.length === 0 || mode === 'off') return false;
  const owner = game?.images
    ? html`<a href="${game.images.terms}">${game.images.credit}</a>`
    : `the publisher of ${game?.title ?? 'each game'}`;
  return html`<p class="small muted picture-credit">${hasButton && pictureButton(hosts, mode)} Pictures: ${owner}, from ${hosts.join(', ')}. <a href="/terms#pictures">Report a picture</a></p>`;
}

/** The name of a build for people: the day of one whose name is a long number. */
export function buildName({ build, released_at }: { build: string; released_at: string }): string {
  return /^\d{7,}$/.test(build) ? formatDay(released_at) : build;
}

export function patchPath(game: string, build: string): string {
  return `/games/${game}/patches/${encodeURIComponent(build)}`;
}

/** Links as chips; nothing if there are none. */
export function chipLinks(
  links: readonly (readonly [href: string, text: Content])[],
  label?: string,
): Html | false {
  const items = links.map(
    ([href, text]) =>
      html`<li><a class="chip"${href.includes('?') && html` rel="nofollow"`} href="${href}">${text}</a></li>`,
  );
  return (
    items.length > 0 &&
    html`<ul class="chips"${label !== undefined && html` aria-label="${label}"`}>${items}</ul>`
  );
}

/** Links to the data of a game: to all of it, or to the lists of what has a name, except its characters; nothing if there are none. */
export function dataLinks(game: GameBuild, isAll: boolean): Html | false {
  const { slug, datasets } = game;
  const isNamed = ({ key }: { key: string }) => {
    const dataset = datasets.get(key);
    return dataset?.kind === 'list' && dataset.list.columns.has('name');
  };
  const objects = [...datasets.values()].filter(({ kind }) => kind === 'object');
  const others = [...objects, { key: 'attributes' }].map(({ key }) => ({
    key,
    label: wordsOf(key),
    count: 0,
  }));
  const all = isAll ? [...listsOf(game), ...others] : listsOf(game).filter(isNamed);
  return chipLinks(
    all.map(({ key, label, count }) => [
      listAddressOf(slug, key),
      html`${label}${count > 0 && html` <b>${formatNumber(count)}</b>`}`,
    ]),
  );
}

/** A folded section of a page. */
export function fold(title: Content, body: Content, isOpen = false): Html {
  return html`<details class="fold"${isOpen && html` open`}><summary>${title}</summary>${body}</details>`;
}

export { CHARACTERS };
