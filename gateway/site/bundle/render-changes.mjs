// Makes /changes.atom (RFC 4287) of CHANGELOG.md: an entry for each change, the newest version first.
import { createHash } from 'node:crypto';
import { Feed } from 'feed';

const VERSION = /^## (\S+)(?: - (\d{4}-\d{2}-\d{2}))?$/;
const SECTION = /^### (.+)$/;
/** The library wants whole addresses. Without it, they are those of the gateway that serves the feed. */
const BASE = 'https://gateway.invalid';
/** The part of a change that is its title, in characters. */
const MAX_TITLE = 120;

/**
 * Renders the feed. It depends on the text alone: an entry keeps its id until its text changes, and a change that is not released has the date of
 * the release before it.
 *
 * @param changelog the text of CHANGELOG.md
 * @param hasSite whether there is a page that explains changes; without it, the feed links to the text of all guides
 */
export function renderChanges(changelog, hasSite) {
  const link = `${BASE}${hasSite ? '/docs/consumers/changes' : '/llms-full.txt'}`;
  const changes = readChanges(changelog);
  const newest = changes.find(({ date }) => date !== undefined)?.date ?? '1970-01-01';
  const feed = new Feed({
    id: 'urn:x-game-data-read-api:changes',
    title: 'Game Data Read API: changes',
    link,
    feedLinks: { atom: `${BASE}/changes.atom` },
    generator: 'Game Data Read API',
    author: { name: 'Game Data Read API' },
    updated: new Date(newest),
  });
  for (const { version, date = newest, section, text } of changes) {
    const id = createHash('sha256').update(`${version} ${section} ${text}`).digest('hex');
    feed.addItem({
      id: `urn:sha256:${id}`,
      title: `${section} (${version}): ${titleOf(text)}`,
      link,
      date: new Date(date),
      content: `<p>${escapeHtml(text)}</p>`,
    });
  }
  return feed.atom1().replaceAll(BASE, '');
}

/** Reads the list items of a changelog, each as one line without Markdown. */
function readChanges(changelog) {
  const changes = [];
  let version = {};
  let section = '';
  for (const line of changelog.split('\n')) {
    const [, name, date] = VERSION.exec(line) ?? [];
    if (name !== undefined) version = { version: name, date };
    section = SECTION.exec(line)?.[1] ?? section;
    if (line.startsWith('- ')) changes.push({ ...version, section, text: line.slice(2) });
    else if (line.startsWith('  ') && changes.length > 0) changes.at(-1).text += ` ${line.trim()}`;
  }
  return changes.map((change) => ({ ...change, text: toPlain(change.text) }));
}

/** Removes the marks of code and links. */
function toPlain(text) {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

function titleOf(text) {
  const [sentence = text] = text.split(/(?<=\.) /);
  return sentence.length > MAX_TITLE ? `${sentence.slice(0, MAX_TITLE)}…` : sentence;
}

function escapeHtml(text) {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
