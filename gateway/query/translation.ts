import type { Draft } from '../http/draft.ts';
import type { Steps } from '../http/work.ts';
import type { Collection } from './collection.ts';
import type { Column } from './column.ts';
import type { LabelsOfValues } from './facets.ts';
import type { Field, Projection } from './fields.ts';

/** The records of a list in a language. */
export interface Translation {
  /** Writes the record of a row in a list response. */
  readonly writeRecord: (draft: Draft, row: number) => void;
  /** Writes the full record of a row. */
  readonly writeFullRecord: (draft: Draft, row: number) => void;
  /** The attribute that has the replaced name, such as `name_en`; undefined if the name is in its own language. */
  readonly keptName: string | undefined;
  /** Returns a projection of the full records, whose texts are in the language. */
  project(keys: readonly string[]): Projection;
  /** Returns whether the values of an attribute depend on the language. */
  translates(key: string): boolean;
  /** Whether an attribute exists only in the translation: the replaced name, such as `name_en`. */
  keeps(key: string): boolean;
  /** Returns the writer of an attribute. */
  field(key: string): Field;
}

/** Puts responses in languages. A language is named as the attributes name it: `zh_cn`. */
export interface Translations {
  /**
   * Reads the parameter `lang`: a language as the attributes name it, or as a language tag (`zh-CN`).
   *
   * @param values as given
   * @throws ParameterError
   */
  readLanguage(values: readonly string[], languages: Pick<Languages, 'codes'>): string;
  /** Returns the language tag (BCP 47) of a language: `zh-CN` for `zh_cn`. */
  languageTag(code: string): string;
  /** Returns the records of a list. @param own the language of `name`, if it is known */
  translate(list: Collection, code: string, own: string | undefined): Translation;
  /** Writes one object. @param own as for `translate` */
  writeObject(draft: Draft, json: Buffer, code: string, own: string | undefined): void;
  /** Returns the labels of a facet's values, where there are any. */
  translateLabels(
    labels: LabelsOfValues,
    column: Column,
    list: Collection,
    code: string,
  ): Steps<LabelsOfValues>;
}

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
