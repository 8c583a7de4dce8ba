/**
 * Returns the key of the attribute that has a text in a language: `title_ja` for `title`. Only names are in Indonesian: `class_id` is not the
 * class in that language, so its key is empty.
 */
export function translationOf(key: string, language: string): string {
  return language === 'id' && key !== 'name' ? '' : `${key}_${language}`;
}
