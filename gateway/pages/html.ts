// The HTML renderer: a template that escapes every value.

/** HTML that is safe to send: only `html` and `raw` make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What a template can insert. Nothing, `false` and an empty list insert nothing; a list inserts all its elements. */
export type Content = Html | string | number | boolean | null | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or for an attribute in quotes. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '') : text;
}

const tidied = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Line breaks and indents of a template are one space, and nothing at its ends. */
function tidy(parts: TemplateStringsArray): readonly string[] {
  const known = tidied.get(parts);
  if (known) return known;
  const last = parts.length - 1;
  const short = parts.map((part, at) => {
    const begun = at === 0 ? part.replace(/^\s*\n\s*/, '') : part;
    return (at === last ? begun.replace(/\s*\n\s*$/, '') : begun).replace(/\s*\n\s*/g, ' ');
  });
  tidied.set(parts, short);
  return short;
}

/** Makes HTML of a template. Values are escaped, except for HTML. */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  const short = tidy(parts);
  let text = short[0] ?? '';
  for (let at = 0; at < values.length; at++) text += write(values[at]) + (short[at + 1] ?? '');
  return new Html(text);
}

/** HTML that another template made, such as a guide. @param text never a text from data or from a person */
export function raw(text: string): Html {
  return new Html(text);
}

function write(value: Content): string {
  if (typeof value === 'string') return escapeHtml(value);
  if (value instanceof Html) return value.text;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(write).join('');
  return '';
}
