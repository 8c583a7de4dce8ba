// The attribute dictionary of a game's characters.
import type { Attribute } from '../../../scripts/format/attributes.ts';
import { html } from '../../http/html.ts';
import { gameOf } from '../data.ts';
import { formatNumber, formatShare } from '../format.ts';
import { marked, scroll } from '../layout.ts';
import type { SitePage } from '../page-server.ts';
import { CHARACTERS, gameHead } from '../parts.ts';

const MAX_ROWS = 200;
const MAX_VALUES = 6;
const MAX_TEXT = 60;

export const attributesPage: SitePage = {
  path: '/games/:game/attributes',
  relevantParams: (visit) => ({ game: gameOf(visit).slug }),
  async make({ view, params, services }) {
    const game = gameOf({ view, params });
    const { known = new Map(), count: all = 0 } = (await services.data.list(view, game, CHARACTERS)) ?? {};
    const shown = [...known.values()].filter(({ type }) => type !== undefined && type !== 'object');
    const heading = `Attributes of ${game.title}`;
    const rows = shown.slice(0, MAX_ROWS).map(({ count, ...attribute }) => {
      const { key, label, description = label ?? '', unit, level, type, list, kind, ref } = attribute;
      const details = [unit && `in ${unit}`, level].filter(Boolean);
      const meaning = `${description}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
      const base = kind !== undefined && kind !== 'text' && kind !== 'number' ? kind : type;
      return html`<tr><th scope="row"><code>${key}</code><span class="meaning">${marked(meaning)}</span></th>
        <td class="small">${list && 'list of '}${base}${ref !== undefined && ` to ${ref}`}</td>
        <td class="small number">${formatShare(Math.floor((100 * count) / Math.max(1, all)) / 100)}</td>
        <td class="small muted">${valuesOf({ count, ...attribute })}</td></tr>`;
    });
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
        ${shown.length > MAX_ROWS && html`<p class="muted">The first ${MAX_ROWS} attributes are shown. The API lists all.</p>`}`,
    };
  },
};

/** Describes the values of an attribute: its range, its most frequent values, or some examples. */
function valuesOf({ values = [], examples = [], min, max, distinct = 0 }: Attribute): string {
  if (min !== undefined && max !== undefined && (values.length === 0 || values.length > MAX_VALUES))
    return `${formatNumber(min)} – ${formatNumber(max)}`;
  const most = values.toSorted((a, b) => b.count - a.count).slice(0, MAX_VALUES);
  const shown = most.map(({ value, label, count }) => `${String(label ?? value)} ${formatNumber(count)}`);
  if (shown.length > 0)
    return (
      shown.join(', ') + (values.length > shown.length ? ` and ${values.length - shown.length} more` : '')
    );
  const short = examples.slice(0, MAX_VALUES / 2).map((each) => String(each).slice(0, MAX_TEXT));
  return short.length === 0 ? '' : `${formatNumber(distinct)} different: ${short.join(', ')}, …`;
}
