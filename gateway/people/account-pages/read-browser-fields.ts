import type { Key } from '../../access/account.ts';
import { type KeyOptions, readBrowserEnd, readBrowserTerms } from '../../access/key-options.ts';
import { InputError } from '../../http/problem.ts';
import { BROWSER_FIELDS } from './sections/browser-key-fields.tsx';
import type { Fields } from './sections/session-form.tsx';

/**
 * Reads the fields of a browser key.
 *
 * @param options what is set for every key; `expires` is undefined if it was not chosen
 * @param key the key that is changed; undefined for a new one
 * @param now ms since 1970
 * @throws InputError
 */
export function readBrowserFields(
  fields: Fields,
  options: KeyOptions,
  key: Key | undefined,
  now: number,
): KeyOptions {
  const { origins, minute, day } = BROWSER_FIELDS;
  const typed = { origins: fields.get(origins), minute: fields.get(minute), day: fields.get(day) };
  try {
    const isEndSet = key === undefined || options.expires !== undefined;
    return {
      ...options,
      browser: readBrowserTerms(typed, key?.browser),
      ...(isEndSet && { expires: readBrowserEnd(options.expires, now) }),
    };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.message);
  }
}
