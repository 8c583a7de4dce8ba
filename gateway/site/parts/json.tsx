import type { JSX } from 'preact';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;

/** JSON with its parts in different colours. */
export function Json({ text }: { text: string }): JSX.Element {
  const parts: (string | JSX.Element)[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, quoted, colon] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    end = match.index + token.length;
    if (quoted === undefined) parts.push(<span class="json-number">{token}</span>);
    else if (colon === undefined) parts.push(<span class="json-string">{token}</span>);
    else parts.push(<span class="json-key">{quoted}</span>, colon);
  }
  parts.push(text.slice(end));
  return <code>{parts}</code>;
}

/** Writes a value as JSON that reads well: short objects and lists on one line. */
export function prettyJson(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value) ?? 'null';
  if (typeof value !== 'object' || value === null || flat.length + indent.length <= 72)
    return spaced(value, flat);
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((each) => inner + prettyJson(each, inner))
    : Object.entries(value).map(
        ([key, each]) => `${inner}${JSON.stringify(key)}: ${prettyJson(each, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** The same JSON on one line, with spaces after colons and commas. */
function spaced(value: unknown, flat: string): string {
  if (typeof value !== 'object' || value === null || flat.length === 2) return flat;
  if (Array.isArray(value)) return `[${value.map((each) => spaced(each, JSON.stringify(each))).join(', ')}]`;
  const members = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${spaced(each, JSON.stringify(each))}`,
  );
  return `{ ${members.join(', ')} }`;
}
