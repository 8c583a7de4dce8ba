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
export function showPictures(): void {
  const credit = document.querySelector<HTMLElement>('.picture-credit');
  const button = credit?.querySelector('button');
  const hosts = (credit?.dataset.hosts ?? '').split(' ');
  const agreed = new Set((localStorage.getItem(CONSENT) ?? '').split(' '));
  if (button) {
    // Its place stays, so that nothing moves.
    button.style.visibility = hosts.every((host) => agreed.has(host)) ? 'hidden' : 'visible';
    button.onclick = () => {
      localStorage.setItem(CONSENT, [...new Set([...agreed, ...hosts])].join(' ').trim());
      showPictures();
    };
  }
  for (const tile of document.querySelectorAll<HTMLElement>('[data-picture]')) {
    const start = tile.closest<HTMLElement>('[data-pictures]')?.dataset.pictures ?? '';
    const address = start + tile.dataset.picture;
    if (!agreed.has(new URL(address).host)) continue;
    delete tile.dataset.picture;
    const image = Object.assign(document.createElement('img'), {
      alt: '',
      loading: 'lazy',
      referrerPolicy: 'no-referrer',
    });
    image.src = address;
    tile.append(image);
  }
  for (const image of document.querySelectorAll<HTMLImageElement>('.tile img'))
    image.onerror = () => image.remove();
}

/** Shows the first search results while a reader types; without the script, the form still works. */
function suggest(field: HTMLInputElement): void {
  const id = `${field.id}-suggestions`;
  const list = Object.assign(document.createElement('div'), { id, className: 'suggestions', hidden: true });
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  field.after(list);
  const state = {
    role: 'combobox',
    'aria-controls': id,
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
  };
  for (const [name, value] of Object.entries(state)) field.setAttribute(name, value);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();
  const show = (links: readonly HTMLAnchorElement[]) => {
    for (const [at, link] of links.entries()) {
      Object.assign(link, { id: `${id}-${at}`, tabIndex: -1, role: 'option', ariaSelected: 'false' });
      const { add } = field.form?.dataset ?? {};
      // On a field that adds a character, a result leads to the comparison with it.
      if (add !== undefined)
        link.href = `${add}${/ids=/.test(add) ? ',' : 'ids='}${link.pathname.split('/').at(-1)}`;
    }
    list.replaceChildren(...links);
    list.hidden = links.length === 0;
    field.setAttribute('aria-expanded', String(links.length > 0));
    field.removeAttribute('aria-activedescendant');
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const text = field.value.trim();
    if (text === '') {
      show([]);
      return;
    }
    timer = setTimeout(async () => {
      const response = await fetch(`${field.dataset.suggest}&q=${encodeURIComponent(text)}`, {
        signal,
      }).catch(() => undefined);
      const page = new DOMParser().parseFromString(response?.ok ? await response.text() : '', 'text/html');
      if (!signal.aborted)
        show(
          [...page.querySelectorAll<HTMLAnchorElement>('.results a')].map((link) =>
            document.importNode(link, true),
          ),
        );
    }, DELAY_MS);
  });
  field.addEventListener('keydown', (event) => {
    const options = [...list.querySelectorAll('a')];
    const at = options.findIndex((option) => option.ariaSelected === 'true');
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') show([]);
    else if (event.key === 'Enter' && at >= 0) {
      event.preventDefault();
      options[at]?.click();
    } else if (step !== undefined && options.length > 0) {
      event.preventDefault();
      const next =
        at === -1 ? (step > 0 ? 0 : options.length - 1) : (at + step + options.length) % options.length;
      for (const [index, option] of options.entries()) option.ariaSelected = String(index === next);
      field.setAttribute('aria-activedescendant', options[next]?.id ?? '');
    }
  });
  field.addEventListener('blur', () => setTimeout(() => show([]), DELAY_MS));
}

/** Shows how many pulls are left, given the number that the reader types. */
function countPulls(field: HTMLInputElement): void {
  field.addEventListener('input', () => {
    for (const card of document.querySelectorAll<HTMLElement>('.planner .card')) {
      const place = card.querySelector<HTMLElement>('.left');
      const parts = [['top', 'at worst'] as const, ['sure', 'for the featured one'] as const].flatMap(
        ([name, words]) => {
          const most = Number(card.dataset[name]);
          return most > 0 ? [`${Math.max(0, most - Number(field.value))} more ${words}`] : [];
        },
      );
      if (!place) continue;
      place.hidden = field.value === '';
      place.textContent = parts.join(', ');
    }
  });
}

addCopyButtons();
showPictures();
for (const field of document.querySelectorAll<HTMLInputElement>('[data-suggest]')) suggest(field);
const pulls = document.querySelector<HTMLInputElement>('#pulls-done');
if (pulls) countPulls(pulls);
if (matchMedia('(min-width: 64rem)').matches)
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('[data-open-wide]')) menu.open = true;
document.addEventListener('keydown', (event) => {
  const isTyping = document.activeElement?.matches('input:not([type=checkbox]), textarea, select') ?? false;
  if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping) return;
  event.preventDefault();
  document.querySelector<HTMLInputElement>('[data-suggest]')?.focus();
});
document.addEventListener('swapped', () => {
  addCopyButtons();
  showPictures();
});
