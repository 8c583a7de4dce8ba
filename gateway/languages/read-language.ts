import { ParameterError, readOnce } from '../http/raw-query.ts';
import { quote } from '../http/suggest.ts';
import type { Languages } from '../query/translation.ts';

/**
 * Reads the parameter `lang`: a language as the attributes name it, or as a language tag (`zh-CN`).
 *
 * @param values as given
 * @returns the language as the attributes name it
 * @throws ParameterError
 */
export function readLanguage(values: readonly string[], { codes }: Pick<Languages, 'codes'>): string {
  const text = readOnce('lang', values) ?? '';
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
