import type { FoundTable } from '../dump/find-tables.ts';
import { type Column, wordsOf } from './column.ts';

/** What folders, files and regions are called, by the language of their texts; English, which names are proposed in, comes first. */
const CALLED: Readonly<Record<string, string>> = {
  en: 'en eng english us na global en_us en_gb usen euen',
  ja: 'ja jp jpn japanese japan ja_jp jpja',
  ko: 'ko kr kor korean korea ko_kr krko',
  zh_cn: 'zh cn chs zhs sc zh_cn zh_hans chinese chinesesimplified chinese_simplified cnzh',
  zh_tw: 'tw cht zht tc cnt zh_tw zh_hant chinesetraditional chinese_traditional twzh',
  de: 'de german de_de eude',
  es: 'es spanish es_es es_mx eues uses',
  fr: 'fr french fr_fr eufr',
  id: 'id indonesian id_id',
  it: 'it italian it_it euit',
  pt: 'pt portuguese pt_br pt_pt uspt',
  ru: 'ru russian ru_ru',
  th: 'th thai th_th',
  tr: 'tr turkish tr_tr',
  vi: 'vi vn vietnamese vi_vn',
  nl: 'nl dutch',
  pl: 'pl polish',
  ar: 'ar arabic',
  fa: 'fa persian',
  ms: 'ms malay',
  fi: 'fi finnish',
  no: 'no norwegian',
  cs: 'cs czech',
};

const LANGUAGES = new Map(
  Object.entries(CALLED).flatMap(([language, names]) => names.split(' ').map((name) => [name, language])),
);

/** The language of a name, such as that of a folder; undefined if it names none. */
export function languageOf(name: string): string | undefined {
  return LANGUAGES.get(wordsOf(name).join('_')) ?? LANGUAGES.get(name.toLowerCase());
}

/** The languages that have a code, in the order in which one of them is preferred for `name`. */
export function byPreference(a: string, b: string): number {
  const order = Object.keys(CALLED);
  return order.indexOf(a) - order.indexOf(b);
}

/** The same table in another language. */
export interface Translation {
  language: string;
  table: FoundTable;
}

/** The language of a table's folder; undefined if no folder names one. */
export function languageOfTable({ files }: FoundTable): string | undefined {
  return files
    .split('/')
    .slice(0, -1)
    .map(languageOf)
    .find((language) => language !== undefined);
}

/** Columns of one meaning in several languages. */
export interface LanguageColumns {
  /** The words of their names without the language. */
  words: string[];
  /** The column in each language, in the order in which one of them is preferred. */
  columns: [language: string, column: Column][];
}

/** Finds texts in several languages in the rows: `name_ja` and `name_ko`, `NameKr`, or `name: {jp, kr}`. */
export function findLanguageColumns(columns: readonly Column[]): LanguageColumns[] {
  const groups = new Map<string, { words: string[]; found: Map<string, Column> }>();
  const add = (key: string, words: string[], language: string, column: Column) => {
    const group = groups.get(key) ?? { words, found: new Map() };
    groups.set(key, group);
    if (!group.found.has(language)) group.found.set(language, column);
  };
  for (const column of columns) {
    if (column.kind !== 'text' || column.list) continue;
    const above = column.path.slice(0, -1);
    const last = column.path.at(-1) ?? '';
    const whole = languageOf(last);
    const words = wordsOf(last);
    // A field `id` is not the Indonesian one.
    if (whole !== undefined && above.length > 0)
      add(JSON.stringify(above), above.flatMap(wordsOf), whole, column);
    for (const length of words.length > 1 ? [2, 1] : []) {
      const language = languageOf(words.slice(-length).join('_'));
      const rest = words.slice(0, -length);
      if (language === undefined || rest.length === 0 || words.at(-1) === 'id') continue;
      add(JSON.stringify([above, rest]), [...above.flatMap(wordsOf), ...rest], language, column);
      break;
    }
  }
  return [...groups.values()]
    .filter(({ found }) => found.size > 1 || (found.size === 1 && !found.has('id')))
    .map(({ words, found }) => ({
      words,
      columns: [...found].sort(([a], [b]) => byPreference(a, b)),
    }));
}

/** Finds the tables that differ from one only in the language or region of a folder. */
export function findTranslations(table: FoundTable, tables: readonly FoundTable[]): Translation[] {
  const steps = table.files.split('/');
  const translations = new Map<string, FoundTable>();
  for (const other of tables) {
    const others = other.files.split('/');
    if (other === table || others.length !== steps.length || other.at !== table.at) continue;
    const different = steps.flatMap((step, index) => (step === others[index] ? [] : [index]));
    const [at] = different;
    if (at === undefined || different.length > 1 || at === steps.length - 1) continue;
    const language = languageOf(others[at] ?? '');
    if (language === undefined || languageOf(steps[at] ?? '') === undefined || translations.has(language))
      continue;
    translations.set(language, other);
  }
  return [...translations]
    .map(([language, translation]) => ({ language, table: translation }))
    .sort((a, b) => byPreference(a.language, b.language));
}
