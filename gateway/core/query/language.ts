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
