// Explore and compare: loads the next address, and replaces the content of the page without a reload.

let asking = new AbortController();
const pageOf = (address: string) => address.split('#')[0];
/** The address of the content that is shown, without a fragment: a link within the page changes nothing. */
let shown = pageOf(location.href);

/** Loads an address and shows its content. @param isStep whether it becomes an entry of the browser's history */
async function show(address: string, isStep: boolean): Promise<void> {
  asking.abort();
  asking = new AbortController();
  shown = pageOf(address);
  const { signal } = asking;
  const place = document.getElementById('swap');
  if (place === null) return;
  place.ariaBusy = 'true';
  try {
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.getElementById('swap');
    if (isStep) history.pushState(null, '', address);
    if (next === null)
      say(
        place,
        page.querySelector('main h1 + p')?.textContent ?? `The gateway responded with ${response.status}.`,
      );
    else exchange(place, next);
  } catch (error) {
    if (!signal.aborted) say(place, `The gateway could not be reached: ${String(error)}`);
  }
  if (!signal.aborted) place.ariaBusy = 'false';
}

/** What a control is, before and after an exchange. */
function describe(control: Element): string {
  const box = control.matches('[type=checkbox]') && control.getAttribute('value');
  const words = !control.matches('select') && control.textContent?.replace(/[ ↑↓]+$/, '');
  return [control.tagName, control.getAttribute('name'), box, control.ariaLabel, words].join();
}

/** The boxes of the records that are checked for comparison, by id, on whatever page of the list. */
const chosen = new Map<string, HTMLInputElement>();

/** Checks the chosen records again; those that the page does not have stay beside the button. */
function keepChosen(place: HTMLElement, next: HTMLElement): void {
  for (const box of place.querySelectorAll<HTMLInputElement>('.compare [name=ids]')) {
    chosen.delete(box.value);
    if (box.checked) chosen.set(box.value, box);
  }
  const rest = new Map(chosen);
  for (const box of next.querySelectorAll<HTMLInputElement>('.compare [name=ids]'))
    box.checked = rest.delete(box.value);
  for (const box of rest.values()) {
    const label = document.createElement('label');
    label.append(box, ` ${box.ariaLabel} `);
    next.querySelector('.compare-bar')?.append(label);
  }
}

/** Once as many records are checked as can be compared, the others cannot be. */
function limitChosen(): void {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('.compare [name=ids]')];
  const most = Number(document.querySelector<HTMLElement>('.compare')?.dataset.most);
  const isFull = boxes.filter(({ checked }) => checked).length >= most;
  for (const box of boxes) box.disabled = isFull && !box.checked;
  const status = document.getElementById('said');
  if (status && isFull) status.textContent = `${most} are checked, the most that can be compared.`;
}

/** Replaces the content; the focus, unfolded parts and the records checked for comparison stay. */
function exchange(place: HTMLElement, next: HTMLElement): void {
  const focused = place.querySelector(':focus');
  const open = [...place.querySelectorAll('details')].map(({ open: isOpen }) => isOpen);
  for (const [at, part] of [...next.querySelectorAll('details')].entries()) part.open ||= open[at] ?? false;
  keepChosen(place, next);
  place.replaceChildren(...next.childNodes);
  labelValues();
  limitChosen();
  const controls = [...place.querySelectorAll<HTMLElement>('input, select, summary, button, a')];
  const again = focused && controls.find((each) => describe(each) === describe(focused));
  place.tabIndex = -1;
  if (focused) (again ?? place).focus();
  if (again instanceof HTMLInputElement && focused instanceof HTMLInputElement && again.type !== 'checkbox') {
    // A value that changes moves the caret behind it.
    again.value = '';
    again.value = focused.value;
  }
  const status = document.getElementById('said');
  if (status) status.textContent = place.querySelector('[data-said]')?.textContent ?? '';
  document.dispatchEvent(new Event('swapped'));
}

/** Below this width, a record of a table is a card. */
const phone = matchMedia('(max-width: 34rem)');

/** Writes into each value the label of its column, for phones. */
function labelValues(): void {
  if (!phone.matches) return;
  const labels = [...document.querySelectorAll('.records thead th')].map(({ textContent }) => textContent);
  for (const { cells } of document.querySelectorAll<HTMLTableRowElement>('.records tbody tr'))
    for (const [at, cell] of [...cells].entries()) cell.dataset.label = labels[at] ?? '';
}

/** Shows above the content why it did not change. */
function say(place: HTMLElement, text: string): void {
  place.querySelector('[role=alert]')?.remove();
  const note = Object.assign(document.createElement('p'), { textContent: text });
  note.setAttribute('role', 'alert');
  place.prepend(note);
}

/** The address of a form with its current values, without empty fields. */
function addressOf(form: HTMLFormElement): string {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && value !== '') query.append(name, value);
  return `${form.action}${query.size > 0 ? `?${query}` : ''}`;
}

document.addEventListener('click', (event) => {
  const link =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('#swap a[data-swap]') : null;
  if (link === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return;
  event.preventDefault();
  void show(link.href, true);
});
labelValues();
limitChosen();
phone.addEventListener('change', labelValues);
let timer: ReturnType<typeof setTimeout> | undefined;
for (const name of ['change', 'submit', 'input'])
  document.addEventListener(name, (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const form = target?.closest<HTMLFormElement>('form[data-swap]');
    const isTyped = target instanceof HTMLInputElement && /search|number|date/.test(target.type);
    if (target?.matches('.compare [name=ids]')) limitChosen();
    if (!form || (name === 'change' && isTyped) || (name === 'input' && !isTyped)) return;
    if (name === 'submit') event.preventDefault();
    clearTimeout(timer);
    timer = setTimeout(() => void show(addressOf(form), true), isTyped ? 400 : 0);
  });
addEventListener('popstate', () => {
  if (pageOf(location.href) !== shown) void show(location.href, false);
});
