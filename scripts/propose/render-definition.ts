import { isObject, type Json } from '../format/dist-format.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import type { Proposal } from './propose-definition.ts';

/**
 * Writes a definition as JSON with its comments, each above what it is about.
 *
 * @param head comments above the whole
 * @param foot comments at the end of the whole
 */
export function renderDefinition({ definition, comments }: Proposal, head: string[], foot: string[]): string {
  const lines = renderValue(definition as unknown as Json, '', '', comments);
  return `${[...head.map(asComment), ...lines.slice(0, -1), ...foot.map((text) => `  ${asComment(text)}`), '}'].join('\n')}\n`;
}

/** The lines of a value; the first goes on where a name ends, the others are indented. */
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
  // A table with its pointer.
  if ('files' in value) return [renderInline(value)];
  const lines = properties.flatMap(([name, property], index) => {
    const below = pointerTo(pointer, name);
    const [first, ...others] = renderValue(property, below, inner, comments);
    const own = [`${inner}${JSON.stringify(name)}: ${first}`, ...others];
    own.push(`${own.pop()}${index < properties.length - 1 ? ',' : ''}`);
    return [...(comments.get(below) ?? []).map((text) => inner + asComment(text)), ...own];
  });
  return ['{', ...lines, `${indent}}`];
}

function renderInline(value: Record<string, Json>): string {
  const properties = Object.entries(value).map(
    ([name, property]) => `${JSON.stringify(name)}: ${JSON.stringify(property)}`,
  );
  return `{ ${properties.join(', ')} }`;
}

/** Field names of a stranger's dump may hold what ends a line. */
function asComment(text: string): string {
  return `// ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`;
}
