import type { JSX } from 'preact';
import type { BrowserTerms } from '../../../access/account.ts';
import { DEFAULT_BROWSER_LIMITS, MAX_BROWSER_LIMITS, MAX_ORIGINS } from '../../../access/key-options.ts';
import { Field, type Fields } from './session-form.tsx';

/** The names of the fields of a browser key. */
export const BROWSER_FIELDS = {
  name: 'browser_name',
  expires: 'browser_expires',
  origins: 'browser_origins',
  minute: 'browser_minute',
  day: 'browser_day',
} as const;

const CAPS = [
  ['minute', 'Its requests in any 60 seconds, at most'],
  ['day', 'Its requests in a UTC day, at most'],
] as const;

/** The fields with the origins and caps of a browser key. */
export function BrowserFields(props: {
  /** What the key has; undefined for a new one. */
  terms?: BrowserTerms | undefined;
  /** The form that was sent. */
  typed: Fields | undefined;
}): JSX.Element {
  const { terms, typed } = props;
  const { limits = DEFAULT_BROWSER_LIMITS } = terms ?? {};
  const { origins } = BROWSER_FIELDS;
  return (
    <>
      <p>
        <label for={origins}>
          Origins of the pages that may use the key, such as <code>https://example.org</code>: up to{' '}
          {MAX_ORIGINS}
        </label>
        <br />
        <textarea id={origins} name={origins} rows={3} required>
          {typed?.get(origins) ?? terms?.origins.join('\n')}
        </textarea>
      </p>
      {CAPS.map(([cap, label]) => {
        const name = BROWSER_FIELDS[cap];
        const value = typed?.get(name) ?? limits[cap];
        return (
          <Field
            label={label}
            type="number"
            id={name}
            name={name}
            min={1}
            max={MAX_BROWSER_LIMITS[cap]}
            value={value}
          />
        );
      })}
    </>
  );
}
