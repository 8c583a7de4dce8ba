import type { Key } from '../../access/account.ts';
import { type KeyOptions, MAX_ENDING, MAX_NAME_CHARS, readKeyName } from '../../access/key-options.ts';
import { InputError } from '../../http/problem.ts';
import type { Session } from '../accounts/session.ts';
import type { Page } from '../web/page.tsx';
import type { AccountForm } from './account-form.ts';
import { FORMS, keyPath } from './addresses.ts';
import type { AccountServices } from './handle-session.ts';
import { KEEP_CHOICES, KEY_FIELDS, showKey } from './key-page.tsx';
import { issueOwnKey, revokeOwnKey, rotateOwnKey, setOwnKey } from './keys.ts';
import { keyPage } from './pages.tsx';
import { readBrowserFields } from './read-browser-fields.ts';
import { BROWSER_FIELDS } from './sections/browser-key-fields.tsx';
import type { Fields } from './sections/session-form.tsx';

/** Enough for a list of origins. */
const MAX_FORM_BYTES = 16 * 1024;
const HOUR_MS = 3_600_000;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Makes the forms for keys. */
export function keyForms(services: AccountServices): AccountForm[] {
  const { store, log, now } = services;
  return [
    {
      path: FORMS.issueKey,
      section: 'keys',
      async reveal(session, fields) {
        return await issue(services, session, { name: readName(fields) });
      },
    },
    {
      path: FORMS.issueBrowserKey,
      section: 'browser-keys',
      async reveal(session, fields) {
        const { name, expires } = BROWSER_FIELDS;
        const day = fields.get(expires) ?? '';
        const chosen = { name: readName(fields, name), ...(day !== '' && { expires: readDay(day, now()) }) };
        return await issue(services, session, readBrowserFields(fields, chosen, undefined, now()));
      },
    },
    {
      path: FORMS.revokeKey,
      section: 'keys',
      async change(session, fields) {
        const prefix = prefixIn(fields);
        if (!(await revokeOwnKey(store, session, prefix))) throw notOwnKey();
        log.info('a key was revoked on the account page', { key: prefix });
      },
    },
    ...formsOfKeyPage(services),
  ];
}

/** Issues a key, and makes the page that shows it. */
async function issue({ store, log }: AccountServices, session: Session, options: KeyOptions): Promise<Page> {
  const issued = await issueOwnKey(store, session, options);
  if (!issued) throw new InputError('the account has the maximum number of keys: revoke one first');
  log.info('a key was issued on the account page', { key: issued.prefix });
  return keyPage(issued);
}

/** Makes the forms on the page of a key. */
function formsOfKeyPage(services: AccountServices): AccountForm[] {
  const { store, log, now } = services;
  const place: AccountForm['place'] = {
    path: (fields) => keyPath(prefixIn(fields)),
    show: (session, fields, error) => showKey(session, prefixIn(fields), services, { error, typed: fields }),
  };
  return [
    {
      path: FORMS.setKey,
      section: 'keys',
      place,
      maxBytes: MAX_FORM_BYTES,
      async change(session, fields) {
        const prefix = prefixIn(fields);
        const read = (key: Key) => readOptions(fields, key, now());
        if (!(await setOwnKey(store, session, prefix, read))) throw notOwnKey();
        log.info('a key was changed on the account page', { key: prefix });
      },
    },
    {
      path: FORMS.rotateKey,
      section: 'keys',
      place,
      async reveal(session: Session, fields: Fields) {
        const prefix = prefixIn(fields);
        const rotated = await rotateOwnKey(store, session, prefix, readKeep(fields));
        if (rotated === undefined) throw notOwnKey();
        if (rotated === 'too-many') throw tooManyEnding();
        log.info('a key was rotated on the account page', {
          key: rotated.prefix,
          replaced: prefix,
        });
        return keyPage(rotated);
      },
    },
  ];
}

function prefixIn(fields: Fields): string {
  return fields.get('prefix') ?? '';
}

function notOwnKey(): InputError {
  return new InputError('that is not a key of this account');
}

function tooManyEnding(): InputError {
  return new InputError(`${MAX_ENDING} replaced keys of the account still work: revoke one of them first`);
}

function readName(fields: Fields, field: string = KEY_FIELDS.name): string {
  const name = readKeyName(fields.get(field) ?? '');
  if (name !== undefined) return name;
  throw new InputError(`the name of a key has at most ${MAX_NAME_CHARS} characters in one line`);
}

/** Reads the form with the options of a key: an empty field removes what was set. */
function readOptions(fields: Fields, key: Key, now: number): KeyOptions {
  const options = { name: readName(fields), ...readExpiry(fields, now) };
  return key.browser ? readBrowserFields(fields, options, key, now) : options;
}

/** The field has a day only. A day that was not changed keeps the time of the expiry, which an operator may have set. */
function readExpiry(fields: Fields, now: number): Pick<KeyOptions, 'expires'> {
  const day = (fields.get(KEY_FIELDS.expires) ?? '').trim();
  if (day === (fields.get(KEY_FIELDS.expiresBefore) ?? '')) return {};
  return { expires: day === '' ? null : readDay(day, now) };
}

/** @returns the beginning of the day, ms since 1970 */
function readDay(day: string, now: number): number {
  const expires = DATE.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (expires > now) return expires;
  throw new InputError('the key must end on a day after today, such as 2031-01-31, or on none');
}

function readKeep(fields: Fields): number {
  const hours = KEEP_CHOICES.find(({ value }) => value === fields.get('keep'))?.hours;
  if (hours !== undefined) return hours * HOUR_MS;
  const expected = KEEP_CHOICES.map(({ value }) => value).join(', ');
  throw new InputError(`the form does not say how long the old key works; expected ${expected}`);
}
