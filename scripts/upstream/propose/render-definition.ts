import { isObject, type Json } from '../../format/dist-format.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { Proposal } from './propose-definition.ts';

/**
 * Renders a definition as JSON with comments, each above the part that it is about.
 *
 * @param head comments above the definition
 * @param foot comments at its end
 */
export function renderDefinition({ definition, comments }: Proposal, head: string[], foot: string[]): string {
  const lines = renderValue(definition as unknown as Json, '', '', comments);
  return `${[...head.map(asComment), ...lines.slice(0, -1), ...foot.map((text) => `  ${asComment(text)}`), '}'].join('\n')}\n`;
}

/** Returns the lines of a value. The first line continues the line of its name; the others are indented. */
function renderValue(value: Json, pointer: string, indent: string, comments: Proposal['comments']): string[] {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return [
      '[',
      ...value.map(
        (element, index) => `${inner}${JSON.stringify(element)}${index < value.length - 1 ? ',' : ''}`,
      ),
      `${indent}]`,
    ];
  }
  if (!isObject(value)) return [JSON.stringify(value)];
  const properties = Object.entries(value);
  if (properties.length === 0) return ['{}'];
  // A table with options fits on one line.
  if ('files' in value) return [renderInline(value)];
  const lines = properties.flatMap(([name, property], index) => {
    const below = pointerTo(pointer, name);
    const [first, ...others] = renderValue(property, below, inner, comments);
    const ownLines = [`${inner}${JSON.stringify(name)}: ${first}`, ...others];
    ownLines.push(`${ownLines.pop()}${index < properties.length - 1 ? ',' : ''}`);
    return [...(comments.get(below) ?? []).map((text) => inner + asComment(text)), ...ownLines];
  });
  return ['{', ...lines, `${indent}}`];
}

function renderInline(value: Record<string, Json>): string {
  const properties = Object.entries(value).map(
    ([name, property]) => `${JSON.stringify(name)}: ${JSON.stringify(property)}`,
  );
  return `{ ${properties.join(', ')} }`;
}

/** Makes a comment of one line: field names of a dump can contain line breaks. */
function asComment(text: string): string {
  return `// ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`;
}
