// Every page: suggestions while the reader types, copy buttons, pictures after consent, the pull counter.
import { readKey } from './key.ts';

const DELAY_MS = 250;
const COPIED_MS = 2000;
/** The hosts that this reader has agreed to load pictures from. */
const CONSENT = 'pictures';

/** Adds a copy button to each block of code. Samples contain `$KEY`; if the tab has a key, the copy contains the key. */
function addCopyButtons(): void {
  if (navigator.clipboard === undefined) return;
  for (const pre of document.querySelectorAll('pre:has(> code):not(.copy > pre)')) {
    const frame = Object.assign(document.createElement('div'), { className: 'copy' });
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText((pre.textContent ?? '').replaceAll('$KEY', readKey() ?? '$KEY'));
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, COPIED_MS);
    });
    pre.replaceWith(frame);
    frame.append(pre, button);
  }
}

/** Shows the pictures from hosts that the reader agreed to. A picture that cannot be loaded leaves its letters visible. */
function showPictures(): void {
  const button = document.querySelector<HTMLButtonElement>('.show-pictures');
  const hosts = (button?.dataset.hosts ?? '').split(' ');
  const agreed = new Set((localStorage.getItem(CONSENT) ?? '').split(' '));
  if (button) {
    const isShown = hosts.every((host) => agreed.has(host));
    button.textContent = isShown ? 'Hide pictures' : `Show pictures from ${hosts.join(', ')}`;
    button.onclick = () => {
      for (const host of hosts) agreed[isShown ? 'delete' : 'add'](host);
      localStorage.setItem(CONSENT, [...agreed].join(' ').trim());
      if (isShown) location.reload();
      else showPictures();
    };
  }
  const about = { alt: '', loading: 'lazy', referrerPolicy: 'no-referrer' };
  for (const tile of document.querySelectorAll<HTMLElement>('[data-picture]')) {
    const start = tile.closest<HTMLElement>('[data-pictures]')?.dataset.pictures ?? '';
    const src = start + tile.dataset.picture;
    if (!agreed.has(new URL(src).host)) continue;
    delete tile.dataset.picture;
    tile.append(Object.assign(document.createElement('img'), { ...about, src }));
  }
  for (const image of document.querySelectorAll<HTMLImageElement>('.tile img'))
    image.onerror = () => image.remove();
}

/** Shows the first search results while a reader types; without the script, the form still works. */
function suggest(field: HTMLInputElement): void {
  const id = `${field.id}-suggestions`;
  const about = { role: 'listbox', ariaLabel: 'Suggestions' };
  const list = Object.assign(document.createElement('div'), { id, className: 'suggestions', ...about });
  const said = Object.assign(document.createElement('p'), { role: 'status', className: 'visually-hidden' });
  field.after(list, said);
  Object.assign(field, { role: 'combobox', ariaAutoComplete: 'list' });
  field.setAttribute('aria-controls', id);
  const show = (links: Iterable<HTMLAnchorElement>) => {
    list.replaceChildren(...links);
    list.hidden = list.childElementCount === 0;
    field.ariaExpanded = String(!list.hidden);
    said.textContent = list.hidden ? '' : `Suggestions: ${list.childElementCount}`;
    field.removeAttribute('aria-activedescendant');
  };
  show([]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();
  const search = async (text: string, signal: AbortSignal) => {
    const address = `${field.dataset.suggest}&q=${encodeURIComponent(text)}`;
    const response = await fetch(address, { signal }).catch(() => undefined);
    const page = new DOMParser().parseFromString(response?.ok ? await response.text() : '', 'text/html');
    if (signal.aborted) return;
    const { add } = field.form?.dataset ?? {};
    // A result of a field that adds a character leads to the comparison with it.
    const wanted = add === undefined ? '' : '[href*="/characters/"]';
    show(page.querySelectorAll<HTMLAnchorElement>(`.results a${wanted}`));
    for (const [at, link] of list.querySelectorAll('a').entries()) {
      Object.assign(link, { id: `${id}-${at}`, tabIndex: -1, role: 'option', ariaSelected: 'false' });
      if (add !== undefined) link.href = `${add},${link.pathname.split('/').at(-1)}`;
    }
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const text = field.value.trim();
    if (text === '') show([]);
    else timer = setTimeout(() => void search(text, signal), DELAY_MS);
  });
  field.addEventListener('keydown', (event) => {
    const options = [...list.querySelectorAll('a')];
    const at = options.findIndex((option) => option.ariaSelected === 'true');
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' && !list.hidden) {
      // The browser would clear the field.
      event.preventDefault();
      show([]);
    } else if (event.key === 'Enter' && at >= 0) {
      event.preventDefault();
      options[at]?.click();
    } else if (step !== undefined && options.length > 0) {
      event.preventDefault();
      const next = options.at((Math.max(at, step < 0 ? 0 : -1) + step) % options.length);
      for (const option of options) option.ariaSelected = String(option === next);
      field.setAttribute('aria-activedescendant', next?.id ?? '');
    }
  });
  field.addEventListener('blur', () => setTimeout(() => show([]), DELAY_MS));
}

/** Shows how many pulls are left on a banner, given the number that the reader types. */
function countPulls({ target }: Event): void {
  if (!(target instanceof HTMLInputElement)) return;
  const card = target.closest<HTMLElement>('.card');
  const place = card?.querySelector('output');
  if (!card || !place) return;
  const left = (most: string | undefined, words: string) =>
    most === undefined ? [] : [`${Number(most) - target.valueAsNumber} more ${words}`];
  const all = [...left(card.dataset.top, 'at worst'), ...left(card.dataset.sure, 'for the featured one')];
  const isEmpty = target.value === '' && !target.validity.badInput;
  place.textContent = isEmpty
    ? ''
    : target.validity.valid
      ? all.join(', ')
      : `Expected 0 to ${target.max}: pull ${Number(target.max) + 1} is sure to be one.`;
}

/** Prepares what is new on the page; pictures last, because a browser may refuse to read what the reader agreed to. */
function prepare(): void {
  addCopyButtons();
  for (const each of document.querySelectorAll<HTMLInputElement>('[data-suggest]:not([role])')) suggest(each);
  showPictures();
}

document.querySelector('.planner')?.addEventListener('input', countPulls);
if (matchMedia('(min-width: 64rem)').matches)
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('[data-open-wide]')) menu.open = true;
document.addEventListener('keydown', (event) => {
  const isTyping = document.activeElement?.matches('input:not([type=checkbox]), textarea, select') ?? false;
  if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping) return;
  event.preventDefault();
  document.querySelector<HTMLInputElement>('[data-suggest]')?.focus();
});
document.addEventListener('swapped', prepare);
prepare();
