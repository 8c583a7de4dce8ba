// Account pages: stores the session's key for this tab, so that samples and patches of the site can use it.
import { dropKey, keepKey, readKey } from './key.ts';

/** The forms that end the session or delete the account. */
const ENDING = 'form[action="/account/leave"], form[action="/account/delete"]';

for (const form of document.querySelectorAll(ENDING)) form.addEventListener('submit', dropKey);
for (const note of document.querySelectorAll<HTMLElement>('[data-session-key]')) void useSessionKey(note);
for (const place of document.querySelectorAll<HTMLElement>('[data-new-key]'))
  keepKey(place.textContent ?? '');
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-try]'))
  button.addEventListener('click', () => void tryRequest(button));

/** Sends a first request with the tab's key, and shows the response below the button. */
async function tryRequest(button: HTMLButtonElement): Promise<void> {
  const path = button.dataset.try ?? '';
  const place = button.parentElement?.nextElementSibling;
  if (!(place instanceof HTMLElement)) return;
  const response = await fetch(path, { headers: { 'X-API-Key': readKey() ?? '' } }).catch(() => undefined);
  const body = response
    ? JSON.stringify(await response.json(), null, 2)
    : 'The gateway could not be reached.';
  place.textContent = `GET ${path}\n\n${body}`;
  place.hidden = false;
}

/** Stores the session's browser key for this tab. @param note shows that */
async function useSessionKey(note: HTMLElement): Promise<void> {
  const response = await fetch('/account/browser-key');
  if (!response.ok) return;
  const { key } = (await response.json()) as { key: string | null };
  if (key === null) return;
  keepKey(key);
  note.hidden = false;
}
