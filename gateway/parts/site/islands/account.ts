import { dropKey, keepKey } from './lib/key.ts';

/** The form that ends the session, and the one that deletes the account. */
const ENDING = 'form[action="/account/leave"], form[action="/account/delete"]';

for (const form of document.querySelectorAll(ENDING)) form.addEventListener('submit', dropKey);
for (const note of document.querySelectorAll<HTMLElement>('[data-session-key]')) void useSessionKey(note);

/** Keeps the browser key of the session for this tab, so that the pages of games use the account. @param note says so */
async function useSessionKey(note: HTMLElement): Promise<void> {
  const response = await fetch('/account/browser-key');
  if (!response.ok) return;
  const { key } = (await response.json()) as { key: string | null };
  if (key === null) return;
  keepKey(key);
  note.hidden = false;
}
