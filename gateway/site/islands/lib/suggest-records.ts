import { findLinks } from './find-links.ts';

const SHOWN = 10;
const DELAY_MS = 250;

/** Shows the first results of the search while a reader types into the field of the header; the form works without. */
export function suggestRecords(field: HTMLInputElement): void {
  const id = `${field.id}-suggestions`;
  const list = Object.assign(document.createElement('ul'), { id, className: 'suggestions', hidden: true });
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  field.after(list);
  for (const [name, value] of [
    ['role', 'combobox'],
    ['aria-controls', id],
    ['aria-expanded', 'false'],
    ['aria-autocomplete', 'list'],
  ] as const)
    field.setAttribute(name, value);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();
  const show = (links: readonly HTMLAnchorElement[]) => {
    list.replaceChildren(...links.slice(0, SHOWN).map((link, at) => toOption(link, `${id}-${at}`)));
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
      const links = await findLinks(`/search?part=suggestions&q=${encodeURIComponent(text)}`, signal);
      if (!signal.aborted) show(links);
    }, DELAY_MS);
  });
  field.addEventListener('keydown', (event) => handleKey(event, field, list, () => show([])));
  field.addEventListener('blur', () => setTimeout(() => show([]), DELAY_MS));
}

/** Moves to a field when a reader who types nothing else presses `/`. */
export function focusOnSlash(field: HTMLInputElement): void {
  document.addEventListener('keydown', (event) => {
    const { activeElement } = document;
    const isTyping = activeElement?.matches('input, textarea, select') ?? false;
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping) return;
    event.preventDefault();
    field.focus();
  });
}

/** Makes an option from a link of the search, with its picture. */
function toOption(link: HTMLAnchorElement, id: string): HTMLLIElement {
  const option = document.createElement('li');
  option.setAttribute('role', 'presentation');
  const copy = document.importNode(link, true);
  copy.id = id;
  copy.tabIndex = -1;
  copy.setAttribute('role', 'option');
  copy.setAttribute('aria-selected', 'false');
  option.append(copy);
  return option;
}

/** Arrows choose an option, Enter opens it, Escape closes the list. */
function handleKey(
  event: KeyboardEvent,
  field: HTMLInputElement,
  list: HTMLElement,
  close: () => void,
): void {
  const options = [...list.querySelectorAll<HTMLAnchorElement>('a')];
  const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true');
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === 'Escape') close();
  else if (event.key === 'Enter' && at >= 0) {
    event.preventDefault();
    options[at]?.click();
  } else if (step !== undefined && options.length > 0) {
    event.preventDefault();
    const first = step > 0 ? 0 : options.length - 1;
    const next = at === -1 ? first : (at + step + options.length) % options.length;
    for (const [index, option] of options.entries())
      option.setAttribute('aria-selected', String(index === next));
    field.setAttribute('aria-activedescendant', options[next]?.id ?? '');
  }
}
