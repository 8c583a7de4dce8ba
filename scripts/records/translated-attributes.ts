import type { Attribute, CollectionAttributes } from '../format/attributes.ts';

/** What the name of a text ends with in a further language: `name_ja`, `class_zh_cn`. */
const IN_LANGUAGE = /^_[a-z]{2,3}(_[a-z]{2,4})?$/;

/**
 * Returns the attributes that records have in any language: the parameter `lang` replaces a text by the one in that language, and keeps the
 * replaced name as `name_en`. So a text that has translations is no closed set.
 *
 * @param language the language of `name`, if it is known
 */
export function inAnyLanguage(
  { records, attributes }: CollectionAttributes,
  language: string | undefined,
): CollectionAttributes {
  const keys = attributes.filter(({ type }) => type === 'string').map(({ key }) => key);
  const isTranslated = (key: string) =>
    keys.some((other) => other.startsWith(`${key}_`) && IN_LANGUAGE.test(other.slice(key.length)));
  const inLanguages = attributes.map((attribute): Attribute => {
    if (!attribute.closed || attribute.type !== 'string' || !isTranslated(attribute.key)) return attribute;
    const { closed: _, ...open } = attribute;
    return open;
  });
  const name = attributes.find(({ key }) => key === 'name');
  const ownName = language === undefined ? undefined : `name_${language}`;
  if (!name || !ownName || keys.includes(ownName) || !isTranslated('name'))
    return { records, attributes: inLanguages };
  const description = 'Only if `lang` is given: the name that the one in that language replaces';
  return { records, attributes: [...inLanguages, { ...name, key: ownName, description, optional: true }] };
}
