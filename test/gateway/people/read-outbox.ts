import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from '../../support/until.ts';
import { readMail } from './smtp-server.ts';

/** The outbox of a gateway that was started in a folder. */
const OUTBOX = path.join('var', 'outbox');

/** Waits until the outbox has so many mails that match, and returns them, the oldest first. Other mails may be between them. */
export async function findInOutbox(
  folder: string,
  pattern: RegExp,
  count = 1,
): Promise<{ subject: string; text: string }[]> {
  let found: { subject: string; text: string }[] = [];
  await until(async () => {
    const names = await readdir(path.join(folder, OUTBOX)).catch(() => []);
    const files = names.filter((name) => name.endsWith('.eml')).sort();
    const mails = await Promise.all(files.map((name) => readFile(path.join(folder, OUTBOX, name), 'utf8')));
    found = mails.map(readMail).filter(({ subject, text }) => pattern.test(`${subject}\n\n${text}`));
    return found.length >= count;
  });
  return found;
}

/** Waits until the outbox has so many mails with a secret link, and returns the links, the oldest first. */
export async function linksInOutbox(folder: string, count = 1): Promise<string[]> {
  const mails = await findInOutbox(folder, /\?token=/, count);
  return mails.map(({ text }) => /^http:\S+$/m.exec(text)?.[0] ?? '');
}
