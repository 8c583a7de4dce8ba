// The requests of the record, from compact tables. A path is given without `/api/star-forge` where it begins with `~`.
import { OPERATOR_NAMES } from '../../gateway/query/list-query.ts';
import { BULK_FORMATS } from '../../scripts/format/dist-format.ts';
import { ROUTES as TABLE } from '../support/routes.ts';
import { type KeyName, NOW } from './world.ts';

/** A request of the record, and what of its response is recorded. */
export interface Case {
  /** The file of the record. */
  family: string;
  key: KeyName | 'bad' | 'malformed' | null;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Record only this of the body; `headers` records all header fields. */
  keep?: 'status' | 'shape' | 'names' | 'openapi' | 'headers';
  /** Header fields that are recorded besides the usual ones. */
  headersToo?: readonly string[];
  /** Sends it once more with these header fields, and records the second response. */
  again?: (etag: string) => Record<string, string>;
  /** Sends a request without a key to the address that the response has as `url`, and records that response. */
  follows?: (url: URL) => string;
  /** Sends it so many times, and records the last response. */
  repeat?: number;
  /** Whether it counts on caps that the record wants to see used up. */
  isLimited?: boolean;
  /** Moves the clock to this time. */
  at?: number;
}

/** The line by which a case is found: in the record, in differences and by `npm run golden -- <part>`. */
export function nameOf(asked: Case): string {
  const { method = 'GET', path, key, headers = {}, body, again, follows, at, repeat } = asked;
  const fields = Object.entries({ ...headers, ...again?.('<etag>') });
  const words = [
    ...[method, shorten(path), ...fields.map(([name, value]) => `${name}: ${shorten(value)}`)],
    ...(body === undefined ? [] : [shorten(body)]),
    ...[key === null ? 'without a key' : `with the key ${key}`],
    ...(again ? ['again'] : []),
    ...(follows ? ['then its url'] : []),
    ...(repeat === undefined ? [] : [`for the ${repeat}th time`]),
    ...(at === undefined ? [] : [`after ${(at - NOW) / HOUR_MS} hours`]),
  ];
  return words.join(' ');
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
}

const HOUR_MS = 3_600_000;

type Options = Omit<Partial<Case>, 'path'>;

function cases(
  family: string,
  paths: string | readonly string[],
  { key = 'pro', ...options }: Options = {},
): Case[] {
  const list = typeof paths === 'string' ? paths.trim().split(/\s+/) : paths;
  return list.map((path) => ({ family, key, path: path.replace(/^~/, '/api/star-forge'), ...options }));
}

/** Addresses below /api/ that are asked in several ways: as each tier, with conditions, with other methods. */
const ROUTES = `/api/games /api/me /api/search?q=asha ~/characters?limit=2 ~/characters/sf-1 ~/names?lang=ja ~/compare?ids=sf-1,sf-2 ~/facets?limit=2
  ~/attributes ~/weapons?limit=2 ~/weapons/w-1 ~/weapons/facets?limit=2 ~/weapons/attributes ~/pull_planner ~/history?limit=1 ~/history/sf-1
  ~/history/sf-1/series?fields=stats.atk ~/snapshot/1.0 ~/diff?from=1.0&to=1.1 ~/characters.csv?limit=2 ~/characters.ndjson?limit=2
  ~/weapons.csv?limit=2 ~/weapons.ndjson?limit=2 ~/compare.csv?ids=sf-1,sf-2 ~/compare.ndjson?ids=sf-1,sf-2
  ~/history/sf-1/series.csv?fields=stats.atk ~/history/sf-1/series.ndjson?fields=stats.atk
  /api/moon-guild/characters /api/moon-guild/shops /api/moon-guild/level_curve /api/young-quest/characters /api/young-quest/tips
  /api/nothing /api/nothing/characters ~/nothing ~/characters/nobody ~/weapons/nothing ~/snapshot/9.9 /api /api/`;
/** What `EACH_ROUTE` sends. */
const SENT = 'game=star-forge dataset=weapons build=1.0 ids=sf-1,sf-2 from=1.0 to=1.1 limit=1';
/** A request for each route below /api/ with the parameters that it needs: the values above, or else its examples. A new route is recorded by itself. */
const EACH_ROUTE = TABLE.filter(({ needsKey, isUncached }) => needsKey && !isUncached).map((route) => {
  const id = route.path.includes(':dataset') ? 'w-1' : 'sf-1';
  const sent = new Map(SENT.split(' ').map((each) => each.split('=') as [string, string])).set('id', id);
  const needed = route.parameters.filter(({ name, required }) => required || name === 'limit');
  const query = needed.map(({ name, example }) => {
    const value = sent.get(name) ?? example;
    if (value === undefined) throw new Error(`${route.path}: ${name} has no example to send`);
    return `${name}=${value}`;
  });
  return `${route.path.replace(/:(\w+)/g, (_, name) => sent.get(name) ?? '')}?${query.join('&')}`.replace(
    /\?$/,
    '',
  );
});
const [RANDOM, BULK] = ['~/characters/random?count=2', '~/bulk'];
/** Addresses that need no key. */
const OPEN =
  '/healthz /readyz /robots.txt /llms.txt /sitemap.xml /.well-known/security.txt /favicon.ico /types/star-forge.d.ts';
const PAGES = `/ /games /games/star-forge /games/moon-guild /games/star-forge/explore /games/star-forge/explore?element=Fire /games/star-forge/explore/weapons
  /games/star-forge/weapons /games/star-forge/pull_planner /games/star-forge/level_costs /games/star-forge/characters /games/star-forge/characters/sf-1
  /games/star-forge/characters/sf-1?lang=ja /games/star-forge/characters/sf-3 /games/star-forge/characters/sf-23 /games/star-forge/weapons/w-1
  /games/star-forge/compare /games/star-forge/compare?ids=sf-1,sf-2 /games/star-forge/attributes /games/star-forge/patches /games/star-forge/patches/1.1
  /games/star-forge/patches/1.3 /games/star-forge/patches/2.0 /games/star-forge/patches/9 /games/young-quest /games/nothing /games/star-forge/nothing
  /games/star-forge/characters/nobody /search /search?q=asha /search?q=zzzz /docs /docs/api /docs/consumers/queries /docs/nothing/nothing
  /account /signup /claim /status /status.json /problems /terms /privacy /contents /nothing`;

/** Values to compare with, by list and attribute. */
const VALUES: Record<string, Record<string, string[]>> = {
  '~/characters': {
    id: ['sf-2'],
    name: ['Asha', 'asha'],
    name_ja: ['アシャ'],
    title: ['The Asha of Fire'],
    rarity: ['4', '4.0', 'x', ''],
    element: ['Fire', 'Fir'],
    class: ['Mage', 'mage'],
    region: ['North', 'null'],
    birthday: ['1/1'],
    released: ['2026-01-15', '2026-01-15T00:00:00Z'],
    limited: ['true', 'yes'],
    tags: ['dps'],
    color: ['%2300c800'],
    'stats.atk': ['150', '1.5e2', 'high'],
    'stats.crit_rate': ['0.075'],
    'images.portrait': ['https://img.example.org/portraits/2.webp'],
    'signature_weapon.id': ['w-1'],
    'ascension.phase': ['2'],
    'ascension.materials.id': ['pearl'],
    'ascension.materials.count': ['4'],
    'skills.name': ['Asha+Burst'],
    'skills.power': ['1.2'],
  },
  '~/weapons': {
    type: ['Bow'],
    rarity: ['5'],
    'stats.atk': ['30'],
    'passive.bonus': ['0.1'],
    'materials.id': ['pearl'],
    note: ['x'],
  },
  '~/banners': { starts_at: ['2026-02-10T02:00:00Z', '2026-02-10'], featured: ['sf-2'], rate: ['0.006'] },
  '~/level_costs': { level: ['10'], item: ['coin'] },
  '/api/moon-guild/characters': { role: ['striker'], debut: ['2026-05-05'], 'levels.level': ['40'] },
  '/api/young-quest/characters': { code: ['007'], 'stats.atk': ['-4'], id: ['constructor'] },
};
const OPERATORS = [...new Set(['', '[ne]', '[gte]', ...OPERATOR_NAMES.map((name) => `[${name}]`)])];

/** Every operator on every attribute; the first value on all, the others on the operators that read it differently. */
function filters(): string[] {
  return Object.entries(VALUES).flatMap(([list, attributes]) =>
    Object.entries(attributes).flatMap(([key, values]) =>
      values.flatMap((value, index) =>
        OPERATORS.slice(0, index === 0 ? OPERATORS.length : 3).map(
          (operator) =>
            `${list}?${key}${operator}=${operator === '[exists]' ? 'true' : value}&fields=${key.split('.')[0]}&limit=3`,
        ),
      ),
    ),
  );
}

const MORE_FILTERS =
  `?rarity=4&rarity=5&fields=rarity ?rarity=5&element=Fire&fields=name ?element[ne]=Fire&element[ne]=Water&fields=element ?region[exists]=false&fields=region
  ?region[exists]=maybe ?rarity[gte]=3&rarity[lt]=5&fields=rarity ?ascension.materials[m].id=pearl&ascension.materials[m].count[gte]=4&fields=name
  ?ascension.materials[m].id=pearl&ascension.materials[n].id=coin&fields=name ?ascension[p].phase=2&ascension[p].materials.count[gte]=2000&fields=name
  ?ascension.materials[m].id[ne]=coin&fields=name ?skills[s].cooldown[lt]=5&skills[s].name[exists]=true&limit=0 ?ascension.materials[M].id=pearl ?stats[m].atk=1
  ?filter=rarity[gte]=4&fields=rarity ?filter=rarity[gte]%3D4&filter=element%3DFire&fields=name ?filter= ?filter=nothing ?filter=nothing%3D1 ?elemnt=Fire ?rarity[foo]=3 ?stats=1 ?stats.atk.x=1
  ?images.icon[exists]=true&limit=0 ?ascension=1 ?element=Pyro ?region=Nort ?class=Magee ?toString=1 ?constructor[exists]=true ?__proto__=1 ?%FF=1 ?name=%E3%82 ?rarity=%20 ?rarity=5&rarity[ne]=5&limit=0
  ?rarity[exists]=true&rarity=3&limit=0 ?released[gte]=2026-02-01&released[lt]=2026-03-01&limit=0`
    .trim()
    .split(/\s+/);
const ORDER =
  `?sort=name ?sort=-rarity,name ?sort=rarity,-stats.atk ?sort=region ?sort=-region ?sort=title ?sort=stats ?sort=tags ?sort=nothing ?sort= ?sort=-id ?sort=id ?sort=limited,class,element,rarity,region,name,id,color ?sort=a,b,c,d,e,f,g,h,i
  ?sort=name_ja ?sort=name_ko ?sort=released,-birthday ?sort=ascension.phase ?sort=rarity,rarity ?sort=relevance ?sort=-stats.crit_rate`
    .trim()
    .split(/\s+/);
const PAGING =
  `?limit=0 ?limit=1 ?limit=5&offset=5 ?limit=5&offset=20 ?limit=5&offset=22 ?limit=5&offset=1000 ?offset=3 ?limit=1000 ?limit=1001 ?limit=-1 ?limit=x ?limit=1.5 ?limit= ?offset=-1 ?offset=99999999999999999999 ?limit=5&limit=6 ?limit=2&sort=-stats.hp&element=Fire
  ?ids=sf-2,sf-1 ?ids=sf-2&ids=sf-1 ?ids=nobody,sf-1 ?ids= ?ids=sf-1,sf-1 ?ids=sf-1,sf-2&sort=-id ?ids=sf-3 ?ids=sf-103,sf-2&limit=1 ?ids=sf-1,sf-2&rarity=3
  ?fields=id ?fields=name,stats.atk ?fields=stats ?fields=nothing ?fields= ?fields=name_ja,name_fr ?fields=ascension.materials.id ?fields=skills.name,skills.power ?fields=images.portrait ?fields=name&fields=rarity ?fields=id,name,name`
    .trim()
    .split(/\s+/)
    .map((query) =>
      /fields=|[?&]limit=\d/.test(query) && !/limit=1000/.test(query) ? query : `${query}&fields=name`,
    );
const WORDS = [
  'asha',
  'ASHA',
  'as',
  'a',
  'dara',
  'Dára',
  'lin',
  'jorg',
  'アシャ',
  'あしゃ',
  'ガ',
  'カ',
  'ｱｼｬ',
  '雪',
  '샤',
  'ㅇㅅ',
  'ㄱㅇ',
  'hutan',
  'hu tan',
  'tan hu',
  'squinn',
  'summer',
  'summer quinn',
  'quin',
  'ahsa',
  'gwan',
  'sol & luna',
  'luna',
  '   ',
  '',
  'zzzz',
  '&',
  '("',
  'yuki',
  'x'.repeat(257),
  'a b c d e f g h i j k l m n o p q',
];
const LANGUAGES = ['en', 'ja', 'ko', 'zh-CN', 'JA', 'xx', '', 'en-US'];

function searches(): string[] {
  const q = (word: string) => encodeURIComponent(word);
  return [
    ...WORDS.map((word) => `~/characters?q=${q(word)}&fields=name`),
    ...WORDS.map((word) => `/api/search?q=${q(word)}`),
    ...['orb', 'オーブ', 'bow', 'moon'].map((word) => `~/weapons?q=${q(word)}&fields=name`),
    ...[
      '~/characters?q=as&sort=-name&fields=name',
      '~/characters?q=a&rarity=5&limit=2&fields=name',
      '~/level_costs?q=1',
      '~/pull_planner?q=1',
    ],
    ...[
      '',
      '?q=a&q=b',
      '?q=asha&games=star-forge',
      '?q=asha&games=moon-guild,nothing',
      '?q=a&limit=101',
      '?q=an&limit=2&offset=1',
      '?q=an&limit=0',
    ].map((query) => `/api/search${query}`),
    ...LANGUAGES.map((lang) => `/api/search?q=tan&lang=${lang}`),
  ];
}

const LOCALIZED =
  '~/characters?limit=2&fields=name,title,name_en ~/characters/sf-1?fields=name,title,skills ~/names?limit=1 ~/compare?ids=sf-13 ~/weapons/w-1 ~/facets?ids=element,class ~/materials /api/moon-guild/characters?fields=name'.split(
    ' ',
  );

const DETAILS = `~/characters/sf-1?fields=name ~/characters/sf-1?fields=ascension.materials.count ~/characters/sf-1?fields=nothing ~/characters/sf-1?limit=1 ~/characters/sf-3 ~/characters/sf-3?fields=name ~/characters/sf-103 ~/characters/sf-14 ~/characters/secret ~/characters/sf-23
  ~/characters/SF-1 ~/characters/sf-1/ ~/characters/sf%2D1 ~/characters/%00 ~/characters/%E3 ~/characters/ ~/characters/constructor /api/young-quest/characters/constructor /api/young-quest/characters/toString
  /api/young-quest/characters/7 /api/moon-guild/characters/9007199254740993001 /api/moon-guild/characters/1004 ~/weapons/w-4 ~/weapons/W-4 ~/weapons/w-1?fields=passive ~/banners/b10 ~/gear_sets/g1 ~/level_costs/1 ~/pull_planner/currency ~/materials/coin
  ~/banners ~/events ~/gear_sets ~/level_costs ~/level_costs?sort=-cost&limit=3 ~/materials ~/pull_planner ~/pull_planner?fields=currency ~/pull_planner?limit=1 ~/pull_planner/facets ~/pull_planner/attributes ~/facets ~/facets?sort=-distinct&fields=type&limit=5
  ~/facets?type=number&fields=min,max ~/facets?ids=element,nothing ~/weapons/facets ~/banners/facets ~/level_costs/facets ~/events/facets ~/events/attributes ~/level_costs/attributes ~/banners/attributes ~/attributes?lang=ja ~/names ~/names?lang=xx ~/names?q=a
  /api/moon-guild/attributes /api/moon-guild/facets /api/moon-guild/names /api/moon-guild/raid_bosses /api/moon-guild/pull_planner /api/young-quest/attributes /api/young-quest/facets /api/young-quest/names /api/young-quest/tips?lang=en /api/young-quest/pull_planner
  ~/compare ~/compare?ids= ~/compare?ids=sf-1 ~/compare?ids=sf-1&ids=sf-2 ~/compare?ids=sf-1,sf-1 ~/compare?ids=sf-1,sf-2,sf-6,sf-7,sf-8,sf-9 ~/compare?ids=sf-1,sf-2,sf-6,sf-7,sf-8,sf-9,sf-10 ~/compare?ids=nobody,sf-1,noone ~/compare?ids=sf-3 ~/compare?ids=sf-1&x=1
  ~/characters/random ~/characters/random?count=0 ~/characters/random?count=99 ~/characters/random?count=x /api/games?x=1 /api/me?x=1 /api/Star-Forge/characters /api/star-forge//characters /api/star-forge/Characters ~/__proto__ ~/constructor /api/constructor/characters`;

const HISTORY = `~/history ~/history?limit=2&offset=1 ~/history?limit=0 ~/history?limit=x ~/history?build=1.2 ~/history?build=1.2&page=2 ~/history?build=9 ~/history?build=2.0 ~/history?build=1.1.1 ~/history?amended=values ~/history?amended=x ~/history?view=summary
  ~/history/sf-2 ~/history/sf-3 ~/history/sf-103 ~/history/sf-14 ~/history/sf-10 ~/history/sf-19 ~/history/sf-23 ~/history/secret ~/history/nobody /api/moon-guild/history /api/moon-guild/history/1001 /api/moon-guild/history/9007199254740993001 /api/young-quest/history
  ~/history/sf-1/series ~/history/sf-1/series?fields= ~/history/sf-1/series?fields=stats.atk,stats.hp,name ~/history/sf-103/series?fields=stats.atk ~/history/sf-3/series?fields=element ~/history/sf-1/series?fields=nothing ~/history/sf-1/series?fields=tags,ascension ~/history/nobody/series?fields=name
  ~/history/sf-14/series?fields=stats.atk ~/history/sf-14/series.csv?fields=stats.atk,name ~/diff ~/diff?from=1.0 ~/diff?from=1.0&to=1.0 ~/diff?from=1.1&to=1.0 ~/diff?from=1.1&to=1.2 ~/diff?from=1.2&to=1.1 ~/diff?from=1.0&to=latest ~/diff?from=1.0&to=2.0 ~/diff?from=9&to=1.0 ~/diff?from=1.1.1&to=1.2
  /api/moon-guild/diff?from=A&to=B /api/young-quest/diff?from=0.1&to=latest ~/snapshot/latest ~/snapshot/1.1 ~/snapshot/1.2 ~/snapshot/2.0 ~/snapshot/1.1.1 ~/snapshot/1.2?via=link ~/snapshot/1.2?via=x /api/moon-guild/snapshot/latest /api/young-quest/snapshot/0.1`;
const FORMATS = ['json', ...BULK_FORMATS, 'xml'];
const FILES = FORMATS.flatMap((format) => [
  `~/snapshot/2.0?format=${format}`,
  `~/snapshot/1.3?format=${format}`,
  `~/snapshot/1.0?format=${format}`,
  `~/bulk?format=${format}`,
  `~/snapshot/1.3?format=${format}&collection=weapons`,
  `~/snapshot/1.3?format=${format}&collection=nothing`,
]);
const MORE_FILES =
  '~/snapshot/1.3?format=csv&csv=spreadsheet /api/moon-guild/bulk?format=csv&collection=shops /api/young-quest/bulk?format=csv&collection=characters ~/snapshot/1.3?format=csv&format=json';
const TABLES = `~/characters.csv ~/characters.csv?columns=id,name,stats ~/characters.csv?columns=nothing ~/characters.csv?columns= ~/characters.csv?fields=name,tags&limit=3 ~/characters.csv?lang=ja&columns=id,name&limit=3 ~/characters.csv?csv=spreadsheet&columns=name&limit=2 ~/characters.csv?csv=x
  ~/characters.csv?rarity=5&sort=-stats.atk&columns=name,rarity,stats.atk ~/characters.csv?ids=sf-1,nobody&columns=name ~/characters.csv?q=as&columns=name ~/characters.csv?nothing=1 ~/characters.ndjson?fields=name&limit=3&offset=3 ~/characters.ndjson?columns=name ~/weapons.csv ~/weapons.csv?columns=id,passive.text,materials
  ~/level_costs.csv?level[lte]=3 ~/banners.csv ~/events.csv ~/events.ndjson ~/pull_planner.csv ~/pull_planner.ndjson ~/facets.csv?limit=3 ~/facets.ndjson?limit=3 ~/gear_sets.ndjson ~/nothing.csv ~/names.csv ~/history.csv ~/characters.xml ~/characters.json /api/young-quest/characters.csv
  /api/young-quest/characters.csv?csv=spreadsheet /api/young-quest/characters.ndjson /api/young-quest/tips.csv /api/moon-guild/characters.csv /api/moon-guild/shops.csv /api/moon-guild/raid_bosses.csv ~/compare.csv?ids=sf-1,sf-3&lang=ja ~/compare.csv?ids=nobody ~/compare.ndjson?ids=sf-1`;
const LINKS = `/t/<token>/star-forge/characters.csv?rarity=5&columns=id,name /t/<token>/star-forge/weapons.json?limit=1 /t/<token>/star-forge/weapons.ndjson?limit=1 /t/<token>/star-forge/compare.csv?ids=sf-1
  /t/<token>/star-forge/characters /t/<token>/moon-guild/characters.csv /t/<token>/star-forge/nothing.csv /t/<token>/star-forge/snapshot/1.0
  /t/<token>x/star-forge/characters.csv`;
/** What is refused, most of it with a proposal or with what was expected. */
const REFUSED = [
  ...`/api/star-frge/characters /api/__proto__/characters ~/weapon ~/histroy ~/Characters ~ /api/GAMES /api/games/ /API/games ~/characters/sf-1x ~/characters/__proto__ ~/characters/a%2F..%2Fb ~/characters/sf-1.csv ~/weapons/w-99 ~/weapons/w-1/stats
  ~/wepons/w-1 ~/wepons/facets ~/wepons/attributes /api/star-frge/names ~/characters/random?cuont=1 ~/characters/random?count=1&count=2 ~/attributes?limit=1 ~/events?sort=-starts_at&fields=id,name&q=a&starts_at=x&pulls[gt]=1&limit=5 ~/events?limit=x
  ~/level_costs?ids=1 ~/facets?lang=xx ~/weapons?lang=xx ~/pull_planner?lang=xx ~/weapons/facets?lang=xx ~/characters/random?lang=xx ~/characters?fields=title_fr ~/characters/sf-1?fields=name_fr
  /api/search?q=a&games=star-frge /api/search?q= /api/search?q=a&limit=x /api/me?x=1 /healthz?x=1 /readyz?x=1 /openapi.json?x=1 /openapi/star-forge.json?x=1 ~/facets?x=1 ~/names?x=1 ~/snapshot/1.0?x=1 ~/bulk?x=1
  ~/history/sf-1x ~/history/__proto__ ~/history/secret/series?fields=name ~/history/sf-1x/series?fields=name /api/star-frge/history /api/star-frge/history/sf-1 ~/history/sf-1?x=1
  ~/history?limit=1001 ~/history?limit= ~/history?limit=1&limit=2 ~/history?offset=x ~/history?sort=build ~/history?page=2 ~/history?build=1.0&page=0 ~/history?build=1.0&page=1&page=2 ~/history?build=1.0&build=1.1 ~/history?build=latest
  ~/history/sf-1/series?fields=name,name ~/history/sf-1/series?fields=stats.atc ~/history/sf-1/series?fields=skills.power ~/history/sf-1/series?fields=name&sort=id
  ~/snapshot/1.4 ~/snapshot/latets ~/snapshot/..%2F1.2 ~/snapshot/__proto__ /api/star-frge/snapshot/1.2 ~/snapshot/1.2?via= ~/snapshot/1.2?via=link&via=x ~/snapshot/2.0?via=link
  ~/snapshot/1.3?collection=characters ~/snapshot/1.3?format=sqlite&collection=characters ~/snapshot/1.3?format=csv&collection=character ~/bulk?format=csv&format=csv ~/bulk?format=ndjson&collection=characters ~/bulk?format=xlsx /api/none/bulk
  ~/diff?from=1.0&from=1.1&to=1.2 ~/diff?from=1.0&to=1.1&format=text ~/diff?from=&to=1.2 ~/diff?from=1.0&to=1.4 ~/diff?from=latest&to=1.1
  ~/characters.csv?columns=nmae ~/characters.csv?columns=id&fields=id ~/characters.csv?csv=excel ~/characters.ndjson?csv=spreadsheet ~/weapons.csv?nonsense=1 ~/compare.csv?ids=sf-1&x=1 /api/games.csv`
    .trim()
    .split(/\s+/),
  `~/history/sf-1/series?fields=${Array.from({ length: 51 }, (_, at) => `a${at}`).join()}`,
  ...`?elment=Fire ?element=fire ?element=Ｆｉｒｅ ?filter=elment=Fire ?filter=element ?filter==Fire ?filter=limit=5 ?filter=filter=rarity=5 ?rarity[about]=5 ?rarity=five ?rarity=0x5 ?rarity=5.0&limit=0 ?rarity%5Bgte%5D=5&limit=0
  ?element[gt]=a ?limited[exists]=1 ?limit=1e9 ?sort=id&sort=name ?q=a&q=b ?q=%20%E3%80%80 ?sort=-powr ?sort=name,-name ?sort=name, ?sort=__proto__ ?ids=sf-1,,sf-2 ?fields=name,stats.atkk ?fields=__proto__ ?rarity[__proto__]=1 ?rarity[gte=1
  ?element=%zz ?key=gdr_x ?columns=name ?limit=1&limit=1`
    .trim()
    .split(/\s+/)
    .map((query) => `~/characters${encodeURI(query).replace(/%25/g, '%')}`),
];
const ACCEPTED =
  `text/csv | application/x-ndjson | application/json | text/html | */* | text/* | image/png | text/csv;q=0.5, application/json
  | application/json-patch+json | nonsense |`.split(/\s*\|\s*/);

const call = (method: string, params?: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });
const TOOLS: [string, object][] = [
  ['list_games', {}],
  ['describe_game', { game: 'moon-guild' }],
  ['describe_game', { game: 'nothing' }],
  ['search', { q: 'asha' }],
  ['get_character', { game: 'star-forge', id: 'sf-1', fields: ['name', 'rarity'] }],
  ['get_character', { game: 'star-forge', id: 'nobody' }],
  ['compare', { game: 'moon-guild', ids: ['1000', '1001'] }],
  [
    'query_dataset',
    { game: 'star-forge', collection: 'characters', filters: ['rarity=5'], fields: ['name'], limit: 2 },
  ],
  ['query_dataset', { game: 'star-forge', dataset: 'weapons', limit: 1 }],
  ['query_dataset', { game: 'star-forge', dataset: 'pull_planner' }],
  ['patch_history', { game: 'star-forge', limit: 1 }],
  ['diff_builds', { game: 'moon-guild', from: 'A', to: 'B' }],
  ['stat_series', { game: 'star-forge', id: 'sf-1', fields: ['stats.atk'] }],
  ['nothing', {}],
];
const MCP_HEADERS = { accept: 'application/json, text/event-stream' };

function mcp(): Case[] {
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'golden', version: '1' },
  };
  const send = (body: string, options: Options = {}) =>
    cases('mcp', ['/mcp'], { method: 'POST', headers: MCP_HEADERS, body, ...options });
  return [
    ...send(call('initialize', hello)),
    ...(['pro', 'free'] as const).flatMap((key) => send(call('tools/list'), { keep: 'names', key })),
    ...['prompts/list', 'nothing', 'ping'].flatMap((method) => send(call(method))),
    ...TOOLS.flatMap(([name, args]) => send(call('tools/call', { name, arguments: args }))),
    ...send(call('tools/call', { name: 'patch_history', arguments: { game: 'star-forge' } }), {
      key: 'free',
    }),
    ...send(call('tools/list'), { key: null }),
    ...send(call('tools/list'), { key: 'bad' }),
    ...send('{'),
    ...send(`[${' '.repeat(70_000)}]`),
    ...send(call('tools/list'), { key: null, headers: { ...MCP_HEADERS, authorization: 'Bearer x' } }),
    ...send(call('tools/list'), { headers: { accept: 'text/plain' } }),
    ...send(call('tools/list'), { headers: { ...MCP_HEADERS, origin: 'https://evil.example.org' } }),
    ...cases('mcp', '/mcp', { headers: MCP_HEADERS }),
    ...cases('mcp', '/mcp', { method: 'DELETE' }),
  ];
}

const quota = (path: string, options: Options = {}) =>
  cases('quota', path, {
    key: 'free',
    isLimited: true,
    headersToo: ['ratelimit', 'retry-after'],
    ...options,
  });

/** All requests, in the order in which they are sent: quotas first, while nothing is used, and times only later. */
export const CASES: readonly Case[] = [
  ...quota('~/characters?limit=0 ~/facets?limit=0'),
  ...quota('~/characters?limit=0', { repeat: 8 }),
  ...quota('~/characters?limit=0 ~/nothing'),
  ...quota('/api/me', { headersToo: [] }),
  ...quota('~/characters?limit=0', { again: (etag) => ({ 'if-none-match': etag }) }),
  ...quota('~/history', { method: 'HEAD' }),
  ...cases('quota', '/api/games', { key: 'browser', isLimited: true }),
  ...quota('/api/games', { key: 'browser', headers: { origin: 'https://fans.example.org' } }),
  ...quota('/api/games', { repeat: 3, key: 'browser', headers: { origin: 'https://fans.example.org' } }),
  ...cases('quota', '/api/games', {
    key: 'browser',
    isLimited: true,
    headers: { origin: 'https://evil.example.org' },
  }),
  ...quota(BULK, { family: 'quota-bulk', keep: 'shape' }),
  ...quota(BULK, { family: 'quota-bulk', keep: 'shape' }),

  ...(['pro', 'free', null, 'bad', 'malformed', 'expired'] as const).flatMap((key) => [
    ...cases(`tier-${key ?? 'none'}`, ROUTES, { key }),
    ...cases(`tier-${key ?? 'none'}`, RANDOM, { key, keep: 'shape' }),
  ]),
  ...cases(
    'tier-free',
    '~/snapshot/1.3 ~/history?build=1.3 ~/characters/sf-23 ~/compare?ids=sf-23 ~/bulk ~/characters?q=wren /api/search?q=wren /api/search?q=건축가 ~/characters/sf-1?fields=stats /api/young-quest /api/young-quest/bulk',
    { key: 'free' },
  ),
  ...cases(
    'headers',
    `${ROUTES} ${BULK} /api/moon-guild/bulk /healthz / /games /account /openapi.json /nothing`,
    { keep: 'headers', method: 'HEAD' },
  ),
  ...cases('methods', ROUTES, {
    method: 'OPTIONS',
    key: null,
    headers: { origin: 'https://a.example.org', 'access-control-request-method': 'GET' },
  }),
  ...['POST', 'PUT', 'DELETE', 'PATCH'].flatMap((method) =>
    cases('methods', '/api/games ~/characters ~/nothing /openapi.json / /games /healthz /nothing', {
      method,
    }),
  ),
  ...cases('methods', '/account /signup /mcp /healthz /', { method: 'OPTIONS', key: null }),
  ...cases('conditional', ROUTES, { again: (etag) => ({ 'if-none-match': etag }) }),
  ...cases('conditional', ROUTES, {
    method: 'HEAD',
    again: (etag) => ({ 'if-none-match': `"x", ${etag}`, 'cache-control': 'no-cache' }),
  }),
  ...cases('conditional', '~/characters?limit=1 ~/snapshot/1.0', {
    again: () => ({ 'if-none-match': '"other"' }),
    keep: 'shape',
  }),
  ...cases('conditional', '~/characters?limit=1 ~/snapshot/1.0', {
    again: () => ({ 'if-none-match': '*' }),
    keep: 'shape',
  }),
  ...cases('conditional', '~/characters?limit=1 ~/snapshot/1.0', {
    again: (etag) => ({ 'if-none-match': `W/${etag}` }),
    keep: 'shape',
  }),
  ...cases('conditional', '~/snapshot/1.0', { again: (etag) => ({ 'if-range': etag, range: 'bytes=0-9' }) }),
  ...cases('conditional', '~/snapshot/1.0', { again: () => ({ 'if-range': '"other"', range: 'bytes=0-9' }) }),
  ...[
    'bytes=0-99',
    'bytes=100-',
    'bytes=-10',
    'bytes=0-0',
    'bytes=99999999-',
    'bytes=5-1',
    'bytes=0-1,4-5',
    'lines=1-2',
  ].flatMap((range) =>
    cases('ranges', '~/snapshot/1.0 ~/snapshot/1.3?format=csv&collection=weapons ~/characters?limit=1', {
      headers: { range },
    }),
  ),
  ...['gzip', 'br', 'gzip, br', 'gzip;q=0', 'identity;q=0', '*', 'zstd'].flatMap((encoding) =>
    cases('codings', '~/characters ~/snapshot/1.0 ~/characters.csv /types/star-forge.d.ts /llms.txt', {
      headers: { 'accept-encoding': encoding },
    }),
  ),

  ...cases('filters', filters()),
  ...cases(
    'filters',
    MORE_FILTERS.map((query) => `~/characters${query}`),
  ),
  ...cases(
    'lists',
    [...ORDER, ...PAGING].map(
      (query) =>
        `~/characters${query}${query.includes('fields=') || query.includes('limit=') ? '' : '&fields=name&limit=6'}`,
    ),
  ),
  ...cases(
    'lists',
    PAGING.slice(0, 12).flatMap((query) => [
      `~/weapons${query}`,
      `~/level_costs${query.replace('&fields=name', '')}`,
    ]),
  ),
  ...cases('search', searches()),
  ...cases(
    'languages',
    LOCALIZED.flatMap((path) =>
      LANGUAGES.map((lang) => `${path}${path.includes('?') ? '&' : '?'}lang=${lang}`),
    ),
  ),
  ...cases('details', DETAILS.replace(/\S*\/random\S*/g, '')),
  ...cases('details', DETAILS.match(/\S*\/random\S*/g) ?? [], { keep: 'shape' }),
  ...cases('history', HISTORY),
  ...cases('refused', REFUSED),
  ...cases(
    'history',
    '~/diff?from=1.0&to=1.1 ~/diff?from=1.1&to=1.2 ~/diff?from=1.2&to=1.0 /api/moon-guild/diff?from=A&to=B',
    { headers: { accept: 'application/json-patch+json' } },
  ),
  ...cases('files', [...FILES, ...MORE_FILES.split(' ')]),
  ...cases('tables', TABLES),
  ...ACCEPTED.flatMap((accept) =>
    cases(
      'accept',
      '~/characters?limit=1&fields=name ~/weapons?limit=1&fields=name ~/pull_planner ~/compare?ids=sf-13 ~/history/sf-1/series?fields=name /api/games ~/characters/sf-13?fields=name ~/diff?from=1.2&to=1.2 /games',
      { headers: { accept } },
    ),
  ),
  ...cases('open', OPEN, { key: null }),
  ...cases('routes', EACH_ROUTE),
  ...cases(
    'routes',
    '/openapi/star-forge.json /openapi/moon-guild.json /openapi/young-quest.json /openapi/nothing.json /openapi.json',
    { key: null, keep: 'openapi' },
  ),
  ...cases('open', '/llms-full.txt /changes.atom', { key: null, keep: 'status' }),
  ...cases(
    'open',
    '/games/star-forge/sample.json /games/star-forge/build.json /sitemaps/star-forge.xml /types/nothing.d.ts /files/star-forge/x /t/gdt_x/star-forge/characters.csv /feeds/x /metrics /statusz',
    { key: null },
  ),
  ...cases('links', LINKS, { key: null }),
  ...cases('links', '~/snapshot/1.2?via=link ~/snapshot/1.3?via=link&format=csv&collection=weapons', {
    follows: ({ pathname, search }) => pathname + search,
  }),
  ...cases('links', '~/snapshot/1.2?via=link', {
    follows: ({ pathname, search }) => `${pathname}${search}x`,
  }),
  ...cases('links', '~/snapshot/1.2?via=link', { follows: ({ pathname }) => pathname }),
  ...cases('pages', PAGES, { key: null }),
  ...cases('pages', '/ /games/star-forge /account /nothing', { method: 'HEAD', key: null }),
  ...mcp(),

  ...cases('errors', [
    `~/characters?q=${'x'.repeat(9000)}`,
    `~/characters?${'x'.repeat(201)}=1`,
    `~/characters?${Array.from({ length: 17 }, (_, index) => `skills[a${index}].slot=1`).join('&')}`,
  ]),
  ...cases('errors', '/api/games', { headers: { 'x-filler': 'x'.repeat(17_000) } }),
  ...cases('errors', '/api/games ~/characters?limit=0', { key: null, headers: { 'x-api-key': '' } }),
  ...cases('errors', '/api/games?key=x /api/games?api_key=x', { key: null }),
  ...cases('errors', '/api/games', { key: null, headers: { authorization: 'Bearer x' } }),
  ...cases('errors', '/signup /account/leave /keys/revoke /webhooks/patreon /webhooks/ko-fi', {
    key: null,
    method: 'POST',
    body: '{}',
  }),
  ...cases('errors', '/signup', {
    key: null,
    method: 'POST',
    body: 'email=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example.org' },
  }),

  ...cases('attempts', '/api/games', { key: 'bad' }),
  ...cases('attempts', '/api/games', { key: 'bad', repeat: 60 }),
  ...cases('attempts', '/api/games', { key: 'pro' }),

  ...cases('later', '/api/games', { key: 'free', at: NOW + 24 * HOUR_MS }),
  ...cases(
    'later',
    '~/characters/sf-23?fields=name ~/characters?limit=0 /api/young-quest/characters?limit=0 /api/me',
    { key: 'free' },
  ),
  ...cases('later', '/games/star-forge/patches/1.3 /games/young-quest', { key: null }),
  ...cases('later', '/api/games', { at: NOW + 12 * 24 * HOUR_MS }),
  ...cases('later', '~/characters/secret?fields=name ~/history?limit=1 ~/snapshot/2.0?format=csv'),
];
