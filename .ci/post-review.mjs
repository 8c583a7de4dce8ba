// node .ci/post-review.mjs <file>: posts a review as the one comment of its pull request, for the workflow "Review".
//
// The file was made beside data of a stranger, so nothing in it is believed: the text can name nobody, link nowhere and hold no HTML.
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

/** GitHub takes 65,536; the rest is for the mark, the warning and the link. */
const MAX_CHARACTERS = 60_000;
const MAX_BYTES = 4 * MAX_CHARACTERS;
const MARK = '<!-- review of data -->';
const AUTHOR = 'github-actions[bot]';
/** An invisible character that ends a word. */
const BREAK = '\u2060';

const MAX_FENCE = 1000;
const PER_PAGE = 100;
/** GitHub lists no more files of a pull request. */
const MAX_FILES = 3000;

/** Makes a text of strangers harmless as Markdown of GitHub; what is in blocks of code looks the same. */
export function neutralise(text) {
  return cut(
    text
      .slice(0, MAX_CHARACTERS)
      // Control characters, and those that turn the direction of text.
      .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '')
      .replace(/@/g, `@${BREAK}`)
      .replace(/<|&/g, `$&${BREAK}`)
      .replace(/\]/g, `]${BREAK}`)
      .replace(/:\/\//g, `:${BREAK}//`)
      .replace(/\bwww\./gi, `www${BREAK}.`)
      .replace(/(#|\bGH-)(?=\d)/gi, `$1${BREAK}`)
      // Diagrams, maps and formulas are programs.
      .replace(/\$/g, `$$${BREAK}`)
      .replace(/^((?:[ \t>*+-]|\d+[.)])*(?:`{3,}|~{3,}))(?!\s*(?:text|json|diff)?\s*$).*$/gm, '$1text'),
  );
}

/** Cuts a text that replacements made longer, after a whole line if it has lines, and closes a block of code that is open then. */
function cut(text) {
  const kept = text.length <= MAX_CHARACTERS ? text : text.slice(0, MAX_CHARACTERS);
  const end = kept.length < text.length ? kept.lastIndexOf('\n') : -1;
  const lines = (end > 0 ? kept.slice(0, end) : kept).split('\n');
  let fence;
  for (const line of lines) {
    const [, mark, rest] = /^(?:[ \t>*+-]|\d+[.)])*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (mark === undefined) continue;
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence) && rest.trim() === '') fence = undefined;
  }
  // A mark of thousands of characters would not fit: its line goes too.
  if (fence !== undefined && fence.length > MAX_FENCE) return cut(lines.join('\n').split(fence)[0]);
  return fence === undefined ? lines.join('\n') : `${lines.join('\n')}\n${fence}`;
}

/** Warns of files that can change how the review is made; a file that was moved counts where it was too. */
function describeOutside(changed) {
  const isOutside = (name) => name !== undefined && !name.startsWith('data/');
  const outside = changed.filter((each) => isOutside(each.filename) || isOutside(each.previous_filename));
  const how = 'It can change how this review is made: read them first.';
  if (outside.length > 0) return `**This change has files outside of data/ (${outside.length}).** ${how}\n\n`;
  if (changed.length >= MAX_FILES)
    return `**This change has ${MAX_FILES} files or more, of which GitHub lists no others.** There can be files outside of data/. ${how}\n\n`;
  return '';
}

async function post(file) {
  const { GITHUB_API_URL: api, GITHUB_REPOSITORY: repository, GITHUB_EVENT_PATH, GH_TOKEN } = process.env;
  const call = async (path, method = 'GET', body = undefined) => {
    const response = await fetch(`${api}/repos/${repository}${path}`, {
      method,
      headers: { Authorization: `Bearer ${GH_TOKEN}`, Accept: 'application/vnd.github+json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: status ${response.status}`);
    return await response.json();
  };
  const list = async (path) => {
    const items = [];
    for (let page = 1, isLast = false; !isLast; page++) {
      const some = await call(`${path}?per_page=${PER_PAGE}&page=${page}`);
      items.push(...some);
      isLast = some.length < PER_PAGE;
    }
    return items;
  };
  const { pull_request: pull, repository: of } = JSON.parse(await readFile(GITHUB_EVENT_PATH, 'utf8'));
  const { number } = pull;
  const warning = describeOutside(await list(`/pulls/${number}/files`));
  const text = neutralise((await readFile(file)).subarray(0, MAX_BYTES).toString('utf8'));
  const run = `${of.html_url}/actions/runs/${process.env.GITHUB_RUN_ID}`;
  const link = `Commit ${pull.head.sha}; [the run](${run}).`;
  const body = `${MARK}\n${warning}${text}\n\n${link}`;
  const comments = await list(`/issues/${number}/comments`);
  const own = comments.find(({ user, body: known }) => user.login === AUTHOR && known.startsWith(MARK));
  if (own) await call(`/issues/comments/${own.id}`, 'PATCH', { body });
  else await call(`/issues/${number}/comments`, 'POST', { body });
  process.stdout.write(`${own ? 'changed' : 'made'} the comment of pull request ${number}\n`);
}

const [, program, file] = process.argv;
if (program && import.meta.url === pathToFileURL(realpathSync(program)).href) await post(file);
