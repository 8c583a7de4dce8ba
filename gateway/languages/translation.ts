import type { Draft } from '../http/draft.ts';
import type { Collection } from '../query/collection.ts';
import { createFinder, type Field, type Projection, pathOf } from '../query/fields.ts';
import type { Translation } from '../query/translation.ts';
import { TranslatedRecords } from './translated-records.ts';

/**
 * Returns the key of the attribute that has a text in a language: `title_ja` for `title`. Only names are in Indonesian: `class_id` is not the
 * class in that language, so its key is empty.
 */
export function translationOf(key: string, language: string): string {
  return language === 'id' && key !== 'name' ? '' : `${key}_${language}`;
}

const translations = new WeakMap<Collection, Map<string, Translation>>();

/**
 * Returns the records of a list in a language, prepared for the first query that needs them.
 *
 * @param own the language of `name`, if it is known
 */
export function translate(list: Collection, language: string, own: string | undefined): Translation {
  const byLanguage = translations.get(list) ?? new Map<string, Translation>();
  translations.set(list, byLanguage);
  const name = `${language} ${own}`;
  const translation = byLanguage.get(name) ?? new TranslatedList(list, language, own);
  byLanguage.set(name, translation);
  return translation;
}

/** The records of a list in a language. */
class TranslatedList implements Translation {
  readonly writeRecord: (draft: Draft, row: number) => void;
  readonly writeFullRecord: (draft: Draft, row: number) => void;
  readonly #list: Collection;
  readonly #language: string;
  readonly #own: string | undefined;
  readonly #full: TranslatedRecords;
  readonly #fields = new Map<string, Field>();

  /** @param own the language of `name`, if it is known */
  constructor(list: Collection, language: string, own: string | undefined) {
    const full = new TranslatedRecords(() => list.fullRecords, language, own);
    const short = list.isShort ? new TranslatedRecords(() => list.records, language, own) : full;
    this.writeRecord = (draft, row) => short.write(draft, row);
    this.writeFullRecord = (draft, row) => full.write(draft, row);
    this.#list = list;
    this.#language = language;
    this.#own = own;
    this.#full = full;
  }

  project(keys: readonly string[]): Projection {
    return this.#list.project(keys, (key) => this.field(key));
  }

  translates(key: string): boolean {
    return (
      this.#list.columns.get(key)?.type === 'string' &&
      this.#list.columns.has(translationOf(key, this.#language))
    );
  }

  get keptName(): string | undefined {
    return this.#own === undefined || this.#own === this.#language ? undefined : `name_${this.#own}`;
  }

  keeps(key: string): boolean {
    return key === this.keptName;
  }

  field(key: string): Field {
    let field = this.#fields.get(key);
    if (field === undefined) {
      field = this.#makeField(key);
      this.#fields.set(key, field);
    }
    return field;
  }

  #makeField(key: string): Field {
    const list = this.#list;
    if (this.translates(key)) {
      const [translated, original] = [list.field(translationOf(key, this.#language)), list.field(key)];
      return (draft, row) => translated(draft, row) || original(draft, row);
    }
    if (this.keeps(key) && !list.attributes.has(key)) return list.field('name');
    if (list.columns.has(key)) return list.field(key);
    // An object or a list may have texts inside.
    return createFinder(
      () => list.fullRecords,
      pathOf(key),
      (draft, row, from, to) => this.#full.write(draft, row, from, to),
    );
  }
}
