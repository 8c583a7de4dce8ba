import { type Html, html } from './html.ts';

/** Shows a time on a page, which the browser writes as its reader does. @param time ISO 8601 UTC */
export function showTime(time: string): Html {
  return html`<time datetime="${time}" data-show="moment">${describeTime(time)}</time>`;
}

/**
 * Formats a time for a text.
 *
 * @param time ISO 8601 UTC
 */
export function describeTime(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
