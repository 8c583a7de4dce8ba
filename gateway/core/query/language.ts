import { ParameterError } from '../lib/raw-query.ts';
import { quote } from '../lib/suggest.ts';

/** The languages of a game's texts. */
export interface Languages {
  /** As in the names of attributes, sorted: `en`, `ja`, `zh_cn`. */
  codes: readonly string[];
  /** The language of `name` itself, if it is known. */
  own: string | undefined;
}

const NAME_IN_LANGUAGE = /^name_([a-z]{2,3}(?:_[a-z]{2,4})?)$/;

/** Returns whether an attribute is the name in some language: `name_ja`. */
export function isNameInLanguage(key: string): boolean {
  return NAME_IN_LANGUAGE.test(key);
}

/**
 * Returns the languages in which records have names.
 *
 * @param attributes the attributes of each list
 * @param own the language of `name` itself, if it is known
 */
export function findLanguages(attributes: Iterable<ReadonlySet<string>>, own: string | undefined): Languages {
  const codes = new Set(own === undefined ? [] : [own]);
  for (const keys of attributes) {
    for (const key of keys) {
      const code = NAME_IN_LANGUAGE.exec(key)?.[1];
      if (code !== undefined) codes.add(code);
    }
  }
  return { codes: [...codes].sort(), own };
}

/**
 * Reads the parameter `lang`: a language as the attributes name it, or as a language tag (`zh-CN`).
 *
 * @param values as given
 * @returns the language as the attributes name it
 * @throws ParameterError
 */
export function readLanguage(values: readonly string[], { codes }: Pick<Languages, 'codes'>): string {
  const [text = ''] = values;
  if (values.length > 1)
    throw new ParameterError('lang', `lang was given ${values.length} times, expected once`);
  const code = text.toLowerCase().replaceAll('-', '_');
  if (codes.includes(code)) return code;
  const expected =
    codes.length > 0 ? `expected one of ${codes.join(', ')}` : 'and the names have no languages';
  throw new ParameterError('lang', `lang is ${quote(text)}, ${expected}`);
}

/** Returns the language tag (BCP 47) of a language: `zh-CN` for `zh_cn`, `ja-Latn` for `ja_latn`. */
export function languageTag(code: string): string {
  const [language = '', part = ''] = code.split('_');
  if (part === '') return language;
  const isScript = part.length === 4;
  return `${language}-${isScript ? part.charAt(0).toUpperCase() + part.slice(1) : part.toUpperCase()}`;
}
