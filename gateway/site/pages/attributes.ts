// The attribute dictionary of a game's characters.
import type { Attribute } from '../../../scripts/format/attributes.ts';
import { type Content, html } from '../../http/html.ts';
import { gameOf } from '../data.ts';
import { formatNumber } from '../format.ts';
import { scroll } from '../layout.ts';
import type { SitePage } from '../page-server.ts';
import { CHARACTERS, gameHead } from '../parts.ts';

const MAX_ROWS = 200;
const MAX_EXAMPLES = 3;
const MAX_VALUES = 6;
const MAX_TEXT = 60;

export const attributesPage: SitePage = {
  path: '/games/:game/attributes',
  relevantParams: (visit) => ({ game: gameOf(visit).slug }),
  async make({ view, params, services }) {
    const game = gameOf({ view, params });
    const model = await services.data.list(view, game, CHARACTERS);
    const all = model?.attributes ?? [];
    const shown = all.filter(({ type }) => type !== undefined && type !== 'object').slice(0, MAX_ROWS);
    const heading = `Attributes of ${game.title}`;
    const rows = shown.map(
      (
        attribute,
      ) => html`<tr><th scope="row"><code>${attribute.key}</code><span class="meaning">${meaning(attribute)}</span></th>
        <td class="small">${describeType(attribute)}</td><td class="small number">${share(attribute.count, model?.count ?? 0)}</td>
        <td class="small muted">${values(attribute)}</td></tr>`,
    );
    return {
      title: heading,
      description: `What the data of ${game.title} says about a character: each attribute with its meaning, range and values.`,
      path: `/games/${game.slug}/attributes`,
      width: 'wide',
      body: html`${gameHead(view, game, 'attributes', heading)}
        <p>What a character has, how many have it, and what the values are like. Each key is a filter: <code>key=value</code>.</p>
        ${scroll(
          'Attributes',
          html`<table class="attributes"><thead><tr><th scope="col">Attribute</th><th scope="col">Type</th>
          <th scope="col">Coverage</th><th scope="col">Values</th></tr></thead><tbody>${rows}</tbody></table>`,
        )}
        ${all.length > MAX_ROWS && html`<p class="muted">The first ${MAX_ROWS} attributes are shown. The API lists all.</p>`}`,
    };
  },
};

/** Shows the text between backticks as code. */
function meaning({ label, description, unit, level }: Attribute): Content {
  const details = [unit && `in ${unit}`, level].filter((part) => part !== undefined && part !== '');
  const text = [description ?? label, details.length > 0 ? `(${details.join(', ')})` : '']
    .filter(Boolean)
    .join(' ');
  return text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));
}

function describeType({ type, list, kind, ref }: Attribute): string {
  const base = kind !== undefined && kind !== 'text' && kind !== 'number' ? kind : type;
  return `${list ? 'list of ' : ''}${base}${ref === undefined ? '' : ` to ${ref}`}`;
}

function share(count: number, all: number): string {
  const part = all === 0 ? 0 : count / all;
  return part > 0 && part < 0.01 ? '<1 %' : `${Math.floor(part * 100)} %`;
}

function values({ type, count, values: all = [], examples = [], min, max, distinct = 0 }: Attribute): string {
  if (min !== undefined && max !== undefined && (all.length === 0 || all.length > 8))
    return min === max ? formatNumber(min) : `${formatNumber(min)} – ${formatNumber(max)}`;
  // The range of unique names says nothing.
  if (type === 'string' && distinct > 1 && distinct === count) return `${formatNumber(distinct)} different`;
  const most = all.toSorted((a, b) => b.count - a.count).slice(0, MAX_VALUES);
  const shown = most.map(
    ({ value, label, count: times }) => `${String(label ?? value)} ${formatNumber(times)}`,
  );
  if (shown.length > 0)
    return shown.join(', ') + (all.length > shown.length ? ` and ${all.length - shown.length} more` : '');
  const short = examples.slice(0, MAX_EXAMPLES).map((each) => shorten(String(each)));
  return short.length === 0 ? '' : `${formatNumber(distinct)} different: ${short.join(', ')}, …`;
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
