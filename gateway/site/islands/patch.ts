// Shows the values of a patch, if there is a Pro key in this tab.
import type { Change } from '../../../scripts/diff/compare.ts';
import type { BuildDiff } from '../../../scripts/diff/diff-builds.ts';
import { arrangeDiff } from '../../../scripts/diff/summary.ts';
import { pointerSteps } from '../../../scripts/format/json.ts';
import { formatCell, formatChange, wordsOf } from '../format.ts';
import { readKey } from './key.ts';

const MAX_RECORDS = 200;
const MAX_CHANGES = 30;

async function read<T>(path: string): Promise<T> {
  const response = await fetch(path, { headers: { 'X-API-Key': readKey() ?? '' } });
  const body = await response.json();
  if (!response.ok) throw new Error(String(body.detail));
  return body as T;
}

async function start(place: HTMLElement): Promise<void> {
  const { game = '' } = place.dataset;
  const { tier } = await read<{ tier: string }>('/api/me');
  if (tier !== 'pro') {
    place.querySelector('.signed-out')?.replaceChildren('You are signed in with a free account.');
    return;
  }
  const build = place.dataset.build || decodeURIComponent(location.pathname.split('/').at(-1) ?? '');
  let before = place.dataset.before ?? '';
  if (before === '') {
    const path = `/api/${game}/history?build=${encodeURIComponent(build)}`;
    const { builds } = await read<{ builds: { previous: string | null }[] }>(path);
    before = builds[0]?.previous ?? '';
  }
  if (before === '') return;
  const query = `from=${encodeURIComponent(before)}&to=${encodeURIComponent(build)}`;
  const parts = arrangeDiff(await read<BuildDiff>(`/api/${game}/diff?${query}`));
  place.replaceChildren(element('h2', `From ${before} to ${build}`));
  for (const { key, added, removed, changed, changes } of parts) {
    if (added.length + removed.length + changed.length + changes.length === 0) continue;
    place.append(element('h3', wordsOf(key)));
    const list = document.createElement('ul');
    appendMost(list, added, MAX_RECORDS, ({ name }) => element('li', `New: ${name}`));
    appendMost(list, removed, MAX_RECORDS, ({ name }) => element('li', `Removed: ${name}`));
    const records = [...changed, { name: '', changes }].filter((each) => each.changes.length > 0);
    appendMost(list, records, MAX_RECORDS, (record) => {
      const item = element('li', record.name);
      const lines = document.createElement('ul');
      appendMost(lines, record.changes, MAX_CHANGES, (change) => element('li', describe(change)));
      item.append(lines);
      return item;
    });
    place.append(list);
  }
}

/** Appends an element for each of the first elements, and says how many more there are. */
function appendMost<T>(list: Element, all: readonly T[], most: number, make: (each: T) => Element): void {
  list.append(...all.slice(0, most).map(make));
  if (all.length > most) list.append(element('li', `and ${all.length - most} more`));
}

/** `Stats · ATK: 120 → 110 (−8.3%)`. */
function describe({ path, from, to }: Change): string {
  const label = pointerSteps(path)
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : wordsOf(step)))
    .join(' · ');
  const write = (value: Change['from']) => formatCell(value, { key: '' }, { lang: '' });
  const change = formatChange(from, to);
  return `${label}: ${write(from)} → ${write(to)}${change === undefined ? '' : ` (${change})`}`;
}

function element(name: string, text: string): HTMLElement {
  return Object.assign(document.createElement(name), { textContent: text });
}

const place = document.getElementById('pro-patch');
if (place && readKey() !== undefined)
  start(place).catch((error: unknown) => {
    const note = element('p', error instanceof Error ? error.message : String(error));
    note.setAttribute('role', 'alert');
    place.append(note);
  });
