import type { FoundTable } from '../dump/find-tables.ts';
import { wordsOf } from './column.ts';

/** What folders, files and regions are called, by the language of their texts; English, which names are proposed in, comes first. */
const CALLED: Readonly<Record<string, string>> = {
  en: 'en eng english us na global en_us en_gb',
  ja: 'ja jp jpn japanese japan ja_jp',
  ko: 'ko kr kor korean korea ko_kr',
  zh_cn: 'zh cn chs zhs zh_cn zh_hans chinese chinesesimplified chinese_simplified',
  zh_tw: 'tw cht zht zh_tw zh_hant chinesetraditional chinese_traditional',
  de: 'de german de_de',
  es: 'es spanish es_es',
  fr: 'fr french fr_fr',
  id: 'id indonesian id_id',
  it: 'it italian it_it',
  pt: 'pt portuguese pt_br pt_pt',
  ru: 'ru russian ru_ru',
  th: 'th thai th_th',
  tr: 'tr turkish tr_tr',
  vi: 'vi vietnamese vi_vn',
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

/** Finds the tables that differ from one only in the language or region of a folder. */
export function findTranslations(table: FoundTable, tables: readonly FoundTable[]): Translation[] {
  const steps = table.files.split('/');
  const found = new Map<string, FoundTable>();
  for (const other of tables) {
    const others = other.files.split('/');
    if (other === table || others.length !== steps.length || other.at !== table.at) continue;
    const different = steps.flatMap((step, index) => (step === others[index] ? [] : [index]));
    const [at] = different;
    if (at === undefined || different.length > 1 || at === steps.length - 1) continue;
    const language = languageOf(others[at] as string);
    if (language === undefined || languageOf(steps[at] as string) === undefined || found.has(language))
      continue;
    found.set(language, other);
  }
  return [...found]
    .map(([language, translation]) => ({ language, table: translation }))
    .sort((a, b) => byPreference(a.language, b.language));
}
