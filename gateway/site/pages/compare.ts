// Characters side by side: differences first, with the largest value of each stat marked.
import type { Json, JsonObject } from '../../../scripts/format/json.ts';
import type { GameBuild } from '../../data/game-build.ts';
import { type Html, html } from '../../http/html.ts';
import { addressOf, gameOf, type ListModel } from '../data.ts';
import { formatCell, fullLabel, isInternal, type Known, unitOf } from '../format.ts';
import { sample } from '../layout.ts';
import { readListState, START, writeListState } from '../list-state.ts';
import type { SitePage, Visit } from '../page-server.ts';
import { CHARACTERS, fold, gameHead, pictureCredit } from '../parts.ts';
import { type Entry, tile } from '../tile.ts';

/** How many characters can be compared, and how many are shown by default. */
export const MAX_COMPARED = 6;
const FIRST = 3;
/** Names and ids are in the heads of columns. */
const HEADS = /^(id|name|name_.*|aliases)$/;

/** A row of `fields` of `/api/{game}/compare`. */
interface Field {
  key: string;
  /** One per character, null without a value. */
  values: Json[];
  differs: boolean;
  /** The positions with the largest value. */
  best: number[];
}

export const comparePage: SitePage = {
  path: '/games/:game/compare',
  isCounted: true,
  relevantParams: (visit) => ({ game: gameOf(visit).slug }),
  relevantQuery(query) {
    const { ids, lang } = readListState(query);
    return writeListState({ ...START, lang, ids: ids.slice(0, MAX_COMPARED) });
  },
  async make(visit) {
    const { view, services, query } = visit;
    const game = gameOf(visit);
    const model = await services.data.list(view, game, CHARACTERS);
    const chosen = model === undefined ? [] : chosenOf(game, model, readListState(query).ids);
    const hasAny = model !== undefined && chosen.length > 0;
    const body = hasAny
      ? await comparison(visit, game, model, chosen)
      : html`<p>There are no characters.</p>`;
    return {
      title: `Compare characters of ${game.title}`,
      description: `Characters of ${game.title} side by side, with the largest value of each stat marked.`,
      isUnlisted: query !== '',
      path: `/games/${game.slug}/compare`,
      width: 'wide',
      scripts: ['explore'],
      pictureHosts: model?.hosts,
      body: html`${gameHead(view, game, 'compare', `Compare ${game.title}`)}<p role="status" class="visually-hidden" id="said"></p>
        <div id="swap">${body}</div>${pictureCredit(game, model?.hosts ?? [], services.images)}`,
    };
  },
};

/** The chosen characters that exist, also by earlier ids; if there are none, the first ones of the game. */
function chosenOf({ currentIds }: GameBuild, { entries, byId }: ListModel, ids: readonly string[]): Entry[] {
  const current = currentIds.get(CHARACTERS);
  const found = ids.flatMap((id) => byId.get(id) ?? byId.get(current?.get(id) ?? '') ?? []);
  return found.length > 0 ? [...new Set(found)] : entries.slice(0, FIRST);
}

async function comparison(
  { view, services, query }: Visit,
  { slug }: GameBuild,
  { known }: ListModel,
  chosen: readonly Entry[],
): Promise<Html> {
  const { lang } = readListState(query);
  const address = (next: readonly Entry[]) =>
    `?${writeListState({ ...START, lang, ids: next.map(({ id }) => id) })}`;
  const path = `/api/${slug}/compare`;
  const { characters, fields } = await services.data.read<{ characters: JsonObject[]; fields: Field[] }>(
    view,
    path,
    address(chosen).slice(1),
  );
  const heads = chosen.map((entry, at) => {
    const name = String(characters[at]?.name ?? entry.name);
    const others = chosen.filter((other) => other !== entry);
    const remove = html`<a class="small muted" data-swap rel="nofollow" href="${address(others)}" aria-label="Remove ${name}">remove</a>`;
    return html`<th scope="col"><a href="${addressOf(slug, CHARACTERS, entry.id)}">${tile(entry, services.images)}<span>${name}</span></a>
      ${others.length > 0 && remove}</th>`;
  });
  const isStat = ({ key }: Field) => key.startsWith('stats.');
  const places = new Map([...known.keys()].map((key, at) => [key, at]));
  const placeOf = (field: Field) =>
    (places.get(field.key) ?? places.size) - (isStat(field) ? places.size : 0);
  const shown = fields
    .filter(
      ({ key, values }) =>
        !HEADS.test(key) && !isInternal(known.get(key) ?? { key }) && values.some((value) => value !== null),
    )
    .sort((a, b) => placeOf(a) - placeOf(b));
  const isMain = (field: Field) => field.differs && (isStat(field) || !field.key.includes('.'));
  const tableOf = (title: string, rows: readonly Field[]) =>
    html`<table class="compared"><caption class="visually-hidden">${title}</caption>
    <thead><tr><td></td>${heads}</tr></thead><tbody>${rows.map((field) => row(field, known, lang))}</tbody></table>`;
  const rest = shown.filter((field) => !isMain(field));
  const add = html`<input id="add" type="search" name="q" placeholder="Add by name" aria-label="Add a character by name"
    autocomplete="off" data-suggest="/search?part=suggestions&amp;game=${slug}"><button type="submit" class="quiet">Search</button>`;
  return html`<form class="row" action="/games/${slug}/explore" data-add="${address(chosen)}">
    ${chosen.length < MAX_COMPARED && add}<a href="/games/${slug}/explore">Choose in the table</a></form>
    ${tableOf('What differs', shown.filter(isMain))}
    ${rest.length > 0 && fold(`Everything else (${rest.length})`, tableOf('Everything else', rest))}
    ${fold('This comparison in the API', sample(services.publicUrl(), path + address(chosen)))}`;
}

function row({ key, values, best }: Field, known: ReadonlyMap<string, Known>, lang: string): Html {
  const attribute = known.get(key) ?? { key };
  const unit = unitOf(attribute);
  const cells = values.map((value, at) => {
    const text = formatCell(value, attribute, { lang });
    return best.includes(at)
      ? html`<td class="best"><b>${text}</b><span class="visually-hidden"> (largest)</span></td>`
      : html`<td>${text}</td>`;
  });
  return html`<tr><th scope="row" title="${attribute.description}">${fullLabel(known, key, lang)}${
    unit !== undefined && html` <small>${unit}</small>`
  }</th>${cells}</tr>`;
}
