/** HTML whose inserted texts have been escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value to insert into HTML: texts and numbers are escaped, HTML is not, undefined inserts nothing. */
export type Insert = string | number | Html | readonly Html[] | undefined;

/** Makes HTML from a template literal. Inserted texts are escaped for use in elements and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(String.raw({ raw: strings }, ...inserts.map(write)));
}

function write(insert: Insert): string {
  if (insert === undefined) return '';
  if (insert instanceof Html) return insert.text;
  if (typeof insert === 'object') return insert.map(write).join('');
  return String(insert).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
