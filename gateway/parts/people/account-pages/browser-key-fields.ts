import type { BrowserTerms } from '../../../core/plans/account.ts';
import { MAX_ORIGINS } from '../../../shared/key-terms/origins.ts';
import { DEFAULT_BROWSER_LIMITS, MAX_BROWSER_LIMITS } from '../../../shared/key-terms/browser-terms.ts';
import { type Html, html } from '../web/html.ts';
import type { Fields } from './session-form.ts';

/** The names of the fields of a browser key. */
export const BROWSER_FIELDS = {
  name: 'browser_name',
  expires: 'browser_expires',
  origins: 'browser_origins',
  minute: 'browser_minute',
  day: 'browser_day',
} as const;

/**
 * Makes the fields with the origins and caps of a browser key.
 *
 * @param terms what the key has; undefined for a new one
 * @param typed the form that was sent
 */
export function browserFields(terms: BrowserTerms | undefined, typed: Fields | undefined): Html {
  const { limits = DEFAULT_BROWSER_LIMITS } = terms ?? {};
  const { origins, minute, day } = BROWSER_FIELDS;
  const cap = (name: string, value: number, most: number, label: string) =>
    html`<p><label for="${name}">${label}</label><br>
    <input type="number" id="${name}" name="${name}" min="1" max="${most}" value="${typed?.get(name) ?? value}"></p>
  `;
  return html`<p><label for="${origins}">Origins of the pages that may use the key, such as <code>https://example.org</code>: up to ${MAX_ORIGINS}</label><br>
    <textarea id="${origins}" name="${origins}" rows="3" required>${typed?.get(origins) ?? terms?.origins.join('\n')}</textarea></p>
  ${cap(minute, limits.minute, MAX_BROWSER_LIMITS.minute, 'Its requests in any 60 seconds, at most')}${cap(day, limits.day, MAX_BROWSER_LIMITS.day, 'Its requests in a UTC day, at most')}`;
}
