const DAY_MS = 86_400_000;
/** From this age on, a time is shown as its day only. */
const RECENT_DAYS = 60;

/**
 * Writes the numbers and times of a page in the reader's own way.
 *
 * @param languages the reader's, as `navigator.languages` has them
 * @param now ms since 1970
 */
export function localize(root: ParentNode, languages: readonly string[], now: number): void {
  const locale = [...languages];
  // A format takes some milliseconds on a phone: the server has written the numbers of these readers alike.
  if (!/^en(-US)?$/.test(locale[0] ?? '')) {
    const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 });
    for (const element of root.querySelectorAll<HTMLDataElement>('data.number'))
      element.textContent = numbers.format(Number(element.value));
  }
  if (root.querySelector('time[data-show]') === null) return;
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[data-show]')) {
    const time = Date.parse(element.dateTime);
    if (Number.isNaN(time)) continue;
    if (element.dataset.show === 'moment') {
      element.title = element.textContent ?? '';
      element.textContent = moments.format(time);
      continue;
    }
    element.title = moments.format(time);
    const recent = element.dataset.show === 'since' ? describeAge(time, now, locale) : undefined;
    element.textContent = recent ?? days.format(time);
  }
}

/** Returns how long ago a time is: `3 days ago`; undefined if it is long ago. */
function describeAge(time: number, now: number, locale: string[]): string | undefined {
  const days = Math.floor((now - time) / DAY_MS);
  if (days > RECENT_DAYS || days < 0) return undefined;
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(-days, 'day');
}
