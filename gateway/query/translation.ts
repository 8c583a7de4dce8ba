import * as dist from '../../scripts/format/dist-format.ts';
import { readOnce } from '../http/incoming.ts';
import { invalidParameter, quote } from '../http/problem.ts';
import type { Collection } from './collection.ts';
import type { Projection, ReadField } from './fields.ts';

/** The languages of a game's texts. */
export interface Languages {
  /** As in the names of attributes, sorted: `en`, `ja`, `zh_cn`. */
  codes: readonly string[];
  /** The language of `name` itself, if known. */
  own: string | undefined;
}

const NAME_IN_LANGUAGE = /^name_([a-z]{2,3}(?:_[a-z]{2,4})?)$/;

/** Returns whether an attribute is a name in some language, such as `name_ja`. */
export function isNameInLanguage(key: string): boolean {
  return NAME_IN_LANGUAGE.test(key);
}

/**
 * Returns the languages in which records have names.
 *
 * @param attributes the attributes of all lists
 * @param own the language of `name` itself, if known
 */
export function findLanguages(attributes: readonly string[], own: string | undefined): Languages {
  const named = attributes.map((key) => NAME_IN_LANGUAGE.exec(key)?.[1]);
  const codes = new Set([own, ...named].filter((code) => code !== undefined));
  return { codes: [...codes].sort(), own };
}

/**
 * Reads the parameter `lang`: a language as the attributes name it, or a language tag (`zh-CN`). A tag for a region without texts of its own means
 * the language (`en-US`).
 *
 * @returns the language as the attributes name it
 * @throws HttpProblem
 */
export function readLanguage(values: readonly string[], { codes }: Pick<Languages, 'codes'>): string {
  const text = readOnce('lang', values) ?? '';
  const parts = text.toLowerCase().replaceAll('-', '_').split('_');
  for (let length = parts.length; length > 0; length--) {
    const code = parts.slice(0, length).join('_');
    if (codes.includes(code)) return code;
  }
  const expected =
    codes.length > 0 ? `expected one of ${codes.join(', ')}` : 'and the names have no languages';
  throw invalidParameter('lang', `lang is ${quote(text)}, ${expected}`);
}

/** Returns the language tag (BCP 47) of a language: `zh-CN` for `zh_cn`, `ja-Latn` for `ja_latn`. */
export function languageTag(code: string): string {
  const [language = '', part = ''] = code.split('_');
  if (part === '') return language;
  const isScript = part.length === 4;
  return `${language}-${isScript ? part.charAt(0).toUpperCase() + part.slice(1) : part.toUpperCase()}`;
}

/**
 * Returns the attribute with a text in a language: `title_ja` for `title`. In Indonesian only names exist, because `class_id` would be ambiguous;
 * other keys are empty.
 */
export function translationOf(key: string, language: string): string {
  return language === 'id' && key !== 'name' ? '' : `${key}_${language}`;
}

/**
 * Returns a value with its texts in a language: each text whose object also has it in that language (`name` and `name_ja`) is replaced.
 *
 * @param kept the member that keeps the replaced name of the object itself: `name_en`
 */
export function translateValue(value: dist.Json, language: string, kept?: string): dist.Json {
  if (Array.isArray(value)) return value.map((item) => translateValue(item, language));
  if (!dist.isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, member]): [string, dist.Json][] => {
    if (!isText(member)) return [[key, translateValue(member, language)]];
    const text = dist.ownValue(value, translationOf(key, language));
    if (text === undefined || !isText(text)) return [[key, member]];
    const isKept = key === 'name' && kept !== undefined && !Object.hasOwn(value, kept);
    const name: [string, dist.Json][] = isKept ? [[kept, member]] : [];
    return [[key, text], ...name];
  });
  return Object.fromEntries(entries);
}

/** Whether a value is a text or a list of texts. */
function isText(value: dist.Json): boolean {
  return typeof (Array.isArray(value) ? value[0] : value) === 'string';
}

/** Returns the attribute that keeps the replaced name, such as `name_en`; undefined if the name is already in its own language. */
export function keptNameOf(language: string, own: string | undefined): string | undefined {
  return own === undefined || own === language ? undefined : `name_${own}`;
}

/** The records of a list in a language. */
export class Translation {
  /** The attribute with the replaced name, such as `name_en`, which may exist only in the translation. */
  readonly keptName: string | undefined;
  readonly #list: Collection;
  readonly #language: string;

  /** @param own the language of `name`, if known */
  constructor(list: Collection, language: string, own: string | undefined) {
    this.#list = list;
    this.#language = language;
    this.keptName = keptNameOf(language, own);
  }

  /** Translates one of the list's records. @returns JSON */
  write(record: Buffer): string {
    return JSON.stringify(translateValue(dist.parseRecord(record), this.#language, this.keptName));
  }

  /** Returns a projection of the translated full records. */
  project(keys: readonly string[]): Projection {
    return this.#list.project(keys, (key) => this.field(key));
  }

  /** Returns whether an attribute's values depend on the language. */
  translates(key: string): boolean {
    return (
      this.#list.columns.get(key)?.type === 'string' &&
      this.#list.columns.has(translationOf(key, this.#language))
    );
  }

  field(key: string): ReadField {
    const list = this.#list;
    if (this.translates(key)) {
      const [translated, original] = [list.field(translationOf(key, this.#language)), list.field(key)];
      return (row) => translated(row) || original(row);
    }
    if (key === this.keptName && !list.attributes.has(key)) return list.field('name');
    if (list.columns.has(key)) return list.field(key);
    // An object or a list may contain texts.
    return (row) => {
      const value = list.valueAt(row, key);
      return value === undefined ? '' : JSON.stringify(translateValue(value, this.#language));
    };
  }
}
