import type { QueryParameter, Route } from '../api/route.ts';
import { MAX_RECORDS, MAX_SEARCH_LENGTH, MAX_SEARCH_WORDS } from '../query/list-query.ts';

const name = (text: string) => ({ type: 'string', description: text });

const FILTER: QueryParameter = {
  name: 'filter',
  description:
    'Filters, such as `element=Pyro` or `stats.atk[gte]=20`: a facet, an operator if needed, `=` and a value. Each can also be a separate parameter, as in ' +
    '`?element=Pyro&stats.atk[gte]=20`; /openapi/{game}.json lists these for one game. Every scalar attribute of a full record that is reached through objects is a facet, ' +
    'by its dotted key (`stats.atk`); a list of scalars matches when any element does. The same facet several times: any of the ' +
    "values; different facets: all of them. Values match exactly, case included, and are read by the facet's own type. " +
    'Operators: `facet[gte]`, `[gt]`, `[lte]`, `[lt]` for numbers, `facet[ne]=v` excludes v, `facet[exists]=true|false`; an ' +
    'operator given several times must hold each time. `null` and an empty list count as absent. The dataset `facets` lists them. ' +
    'A key may lead into a list of objects (`ascension.materials.name=Mora`): the filter holds when it does for any element. Filters with the ' +
    'same label after the list hold for one element: `ascension.materials[m].name=Mora&ascension.materials[m].count[gte]=20`. A label is a ' +
    'lowercase letter, and up to 15 further letters and digits.',
  schema: { type: 'array', items: { type: 'string' } },
  style: 'form',
  explode: true,
  example: ['rarity=5', 'stats.atk[gte]=20'],
};

const SEARCH: QueryParameter = {
  name: 'q',
  description:
    'Name search over `name`, every `name_xx` and `aliases`, in any language: every word must be found somewhere in one name. Folded: NFKC, ' +
    'case, Latin, Greek and Cyrillic accents, hiragana = katakana, full = half width; spaces, punctuation and symbols do not matter; a hangul ' +
    'initial consonant stands for every syllable that begins with it (`ㅇㄹ`). Ranked, unless `sort` is given: whole names, beginnings of ' +
    'names, beginnings of words, parts; in each, shorter names first. When a search of up to three characters is a whole name, only such ' +
    'names match. When no name matches, those match whose words differ by one letter, or by two in words of six letters or more. ' +
    `At most ${MAX_SEARCH_LENGTH} characters and ${MAX_SEARCH_WORDS} different words.`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_SEARCH_LENGTH },
};

const SORT: QueryParameter = {
  name: 'sort',
  description:
    'Facets separated by commas, `-` before one for descending: `-rarity,name`. Numbers by size, texts in natural order (runs of ' +
    'digits as numbers, all else by code unit). Records without the facet come last either way; ties by id in natural order. ' +
    'Default: by id; in the order of `ids` when given; by relevance with `q`; in the order of the list when it has no ids.',
  schema: { type: 'string', minLength: 1 },
};

const OFFSET: QueryParameter = {
  name: 'offset',
  description: 'How many records to skip before the page.',
  schema: { type: 'integer', minimum: 0, default: 0 },
};

const IDS: QueryParameter = {
  name: 'ids',
  description:
    'Only the records with these ids, separated by commas, in this order unless `sort` is given; an id given twice counts once. ' +
    'Unknown ids are listed in `missing`.',
  schema: { type: 'array', items: name('An id.') },
  style: 'form',
  explode: false,
};

const FIELDS: QueryParameter = {
  name: 'fields',
  description:
    'Only these attributes of the full record, by dotted key and separated by commas; `id` is always included.',
  schema: { type: 'array', items: name('A dotted key.') },
  style: 'form',
  explode: false,
  example: ['id', 'name', 'stats.atk'],
};

const DESCRIBED = new Map([FILTER, SEARCH, SORT, OFFSET, IDS, FIELDS].map((each) => [each.name, each]));

/** Describes the parameters of a route, of which the core knows some by their names only. */
export function describeParameters({ parameters }: Pick<Route, 'parameters'>): QueryParameter[] {
  return parameters.map((parameter) => {
    if ('schema' in parameter) return parameter;
    const { name, default: value } = parameter;
    const described = DESCRIBED.get(name) ?? (name === 'limit' ? limitParameter(value) : undefined);
    if (described === undefined) throw new Error(`the parameter ${name} has no description`);
    return described;
  });
}

function limitParameter(defaultLimit: number | undefined): QueryParameter {
  const isWhole = defaultLimit === undefined;
  return {
    name: 'limit',
    description: `The size of a page, 0 to ${MAX_RECORDS}.${isWhole ? ' Without it the list is whole.' : ''}`,
    schema: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_RECORDS,
      ...(!isWhole && { default: defaultLimit }),
    },
  };
}
