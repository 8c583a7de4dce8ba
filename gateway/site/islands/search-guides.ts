import { type GuidePart, searchGuides } from './lib/search-guides.ts';

const MAX_RESULTS = 8;

/** Makes the search over the guides work. Its index is loaded when the field is first used. */
function start(): void {
  const place = document.querySelector<HTMLElement>('.guide-search');
  const field = place?.querySelector('input');
  const results = place?.querySelector<HTMLElement>('#guide-results');
  if (!place || !field || !results) return;
  let index: Promise<GuidePart[]> | undefined;
  const load = () => {
    index ??= fetch(place.dataset.index ?? '').then((response) => response.json() as Promise<GuidePart[]>);
    return index;
  };
  field.addEventListener('focus', () => void load(), { once: true });
  field.addEventListener('input', async () => {
    const words = field.value;
    const guides = searchGuides(await load(), words).slice(0, MAX_RESULTS);
    if (words === field.value) show(results, words, guides);
  });
}

function show(place: HTMLElement, words: string, guides: readonly GuidePart[]): void {
  if (words.trim() === '') {
    place.replaceChildren();
    return;
  }
  if (guides.length === 0) {
    place.replaceChildren(
      Object.assign(document.createElement('p'), { textContent: 'Nothing found. Try fewer words.' }),
    );
    return;
  }
  const list = document.createElement('ul');
  list.className = 'plain-list';
  for (const { path, title, heading } of guides) {
    const link = Object.assign(document.createElement('a'), { href: path });
    link.textContent = heading === '' || heading === title ? title : `${title}: ${heading}`;
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
  }
  place.replaceChildren(list);
}

start();
