/** A piece of HTML in which everything that was put in is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may be put into HTML: a text, which is escaped, pieces of HTML, which are not, or nothing. */
export type Insert = string | number | Html | readonly Html[] | undefined;

/** Makes HTML of a template; texts in it are escaped, for elements and for quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(String.raw({ raw: strings }, ...inserts.map(write)));
}

function write(insert: Insert): string {
  if (insert === undefined) return '';
  if (insert instanceof Html) return insert.text;
  if (typeof insert === 'object') return insert.map(write).join('');
  return String(insert).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
