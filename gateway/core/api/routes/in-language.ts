import type { GameBuild } from '../../catalog/game-build.ts';
import type { RawQuery } from '../../lib/raw-query.ts';
import type { ListQuery } from '../../query/list-query.ts';
import type { QueryParameter } from './route.ts';

/** What a request for texts in a language becomes. */
export type InLanguage = Pick<ListQuery, 'translation' | 'language'>;

/** The parameter `lang`. */
export const LANG: QueryParameter = {
  name: 'lang',
  description:
    "The language of `name` and of other texts, as the game's attributes name it (`ja`, `zh_cn`) or as a language tag (`zh-CN`): each text that a " +
    'record has in that language too replaces the one without a language. The replaced name is kept as `name_en`, if English is its language. ' +
    'Filters, sort and search use the attributes as they are. `Content-Language` repeats it. A language without any names is an error.',
  schema: { type: 'string', minLength: 2 },
  example: 'ja',
};

/** Returns the values of a parameter, in the order of the request; undefined without any. */
export function valuesOf(query: RawQuery, parameter: string): string[] | undefined {
  const values = query.flatMap(([name, value]) => (name === parameter ? [value] : []));
  return values.length > 0 ? values : undefined;
}

/** Returns what identifies the content of a response, whose texts may be in a language. */
export function tagOf(
  tag: string,
  { language }: Pick<InLanguage, 'language'>,
  { languages }: GameBuild,
): string {
  // The language of `name` is the only thing that is not in the records.
  return language === undefined ? tag : `${tag} ${languages.own}`;
}
