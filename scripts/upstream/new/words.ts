/** The names of languages in folders, files and columns, by language. English, in which names are proposed, is first. */
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
};
const LANGUAGES = new Map(
  Object.entries(CALLED).flatMap(([language, names]) => names.split(' ').map((name) => [name, language])),
);
const ORDER = Object.keys(CALLED);

/** Returns the language of a name, such as that of a folder; undefined if there is none. */
export function languageOf(name: string): string | undefined {
  return LANGUAGES.get(splitWords(name).join('_')) ?? LANGUAGES.get(name.toLowerCase());
}

export function byPreference(a = 'en', b = 'en'): number {
  return ORDER.indexOf(a) - ORDER.indexOf(b);
}

/** Splits a name into lower-case words: base, attack, min for `base_attackMin`. */
export function splitWords(name: string): string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return spaced.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

/** Converts a name to snake_case; `field` if no letters or digits are left. */
export function snakeCase(name: string): string {
  const snake = splitWords(name).join('_').slice(0, 60).replace(/_$/, '');
  if (snake === '') return 'field';
  return /^[a-z]/.test(snake) ? snake : `x_${snake}`;
}

const set = (words: string) => new Set(words.split(' '));

/** Words that games use for their characters. */
export const CHARACTERS = set(
  'char chara chars character characters unit units avatar avatars hero heroes servant servants svt idol idols card cards operator operators agent agents champion champions fighter fighters student students doll dolls ship ships member members role roles person persons pokemon gun guns guard guards identity identities partner partners follower followers brawler brawlers',
);
/** Words that say nothing about the content of a table. */
export const NEUTRAL = set(
  'data table tables mst master list lists info base main all json records file config conf cfg db build raw game src en eng english us na global excel settings setting template templates i18n new index docs store v2 rows 1 2 3',
);
export const IDS = set('id uid uuid guid key code slug tag num hash tid');
export const STATS = set(
  'hp hitpoints health life damage atk attack def defense defence armor speed spd mp mana str strength agi agility int intelligence vit dex luck crit critical critrate critdmg resistance magic vocal dance visual stamina power firepower torpedo evasion reload accuracy aviation',
);
export const NOT_STATS = set(
  'id type rate growth range icon image sort order anim action motion time priority display point gain permil index level bonus kind flag icons projectile gauge sell attri move search walk run add cost weight ratio delta timer probability duration distance delay reduce bar height width radius',
);
export const RARITIES =
  'rarity,star,stars,star level,grade,tier,quality,rare,base rarity,init rarity,initial rarity,rarity type,card rarity type,card rarity,rank,rank type,quality type,star num,star count,init star,initial star,quality id,rarity id,default star grade'.split(
    ',',
  );
/** Names of ranks, lowest first. */
export const ORDERS = [
  'n r sr ssr ur lr',
  'd c b a s ss sss',
  'common uncommon rare epic legendary mythic champion',
  'normal rare epic legend',
  'white green blue purple orange',
  'bronze silver gold platinum',
].map((names) => names.split(' '));
export const NAMES =
  'localized name,display name,name display,name en,en name,english name,name,title,label,prefix'.split(',');
/** A name with one of these words belongs to something else. */
export const NAMES_OF_OTHERS = set(
  'skill skills asset assetbundle bundle file image icon model kana ruby voice cv costume tag class type group action anim',
);
/** The last words of columns whose values are names, or keys of their texts. */
export const KEYS_OF_TEXTS = set('name names hash id key text');
export const TEXT_NAMES = set(
  'content text value string message name title localized localization translation textmap msg',
);
