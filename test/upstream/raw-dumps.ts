import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DATA } from '../support/paths.ts';
import { UPSTREAM } from '../support/skip.ts';

// The newest dump of each game whose newest build is made of one, read with plain loops. Nothing here is shared with the compiler or with a mapping.

/** A value of raw data, whose shape only the reader of its game knows. */
// biome-ignore lint/suspicious/noExplicitAny: it is what JSON.parse returns
type Raw = any;
/** Finds a value in a row. */
type Pick = (row: Raw, id: string) => unknown;

/** A raw table: the collection that is made from it, its rows by id, and where each served value is in a row. */
export interface RawTable {
  collection: string;
  rows: ReadonlyMap<string, Raw>;
  values: Readonly<Record<string, Pick>>;
}

const ROOT = path.join(UPSTREAM, '..');
const text = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const json = (file: string): Raw => JSON.parse(text(file));
const byKey = (rows: Raw): Map<string, Raw> => new Map(Object.entries(rows));
const byId = (rows: Raw[], id = 'id'): Map<string, Raw> => new Map(rows.map((row) => [String(row[id]), row]));
const seconds = (time: number) => new Date(time * 1000).toISOString();
/** In 2030 ends what has no end. */
const endAt = (time: number) => (time < 1_890_000_000 ? seconds(time) : undefined);
/** A text, as far as it is one that is served. */
const words = (value: string | null | undefined) => value?.replaceAll(' ', ' ').trim() || undefined;

/** The rows of a CSV file with quotes, as objects of texts. */
function csv(file: string): Raw[] {
  const rows: string[][] = [];
  let [row, cell, quoted]: [string[], string, boolean] = [[], '', false];
  const all = text(file);
  for (let at = 0; at < all.length; at++) {
    const char = all[at] ?? '';
    if (char === '"' && quoted && all[at + 1] === '"') cell += all[at++];
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === ',' || char === '\n')) {
      row.push(cell);
      cell = '';
      if (char === '\n') [row, rows[rows.length]] = [[], row];
    } else if (char !== '\r') cell += char;
  }
  const [head = [], ...body] = rows;
  return body.map((cells) => Object.fromEntries(cells.map((each, at) => [head[at] ?? '', each])));
}

/** The items of a YAML list of flat objects; what is nested is left out. */
function yaml(file: string): Raw[] {
  const items: Raw[] = [];
  for (const line of text(file).split('\n')) {
    const [, start, key, value] = /^(- | {2})(\w+): (.+)$/.exec(line) ?? [];
    if (start === '- ') items.push({});
    if (key !== undefined) items.at(-1)[key] = value?.replace(/^"(.*)"$/, '$1');
  }
  return items;
}

/** The JSON files of a folder, by their names. */
function folder(where: string): Map<string, Raw> {
  const files = readdirSync(path.join(ROOT, where));
  return new Map(files.map((file) => [path.parse(file).name, json(path.join(where, file))]));
}

function arknights(): RawTable[] {
  const tables = 'upstream-2026/arknights-tables/2026-08-22';
  const excel = (region: string, file: string) => json(`${tables}/${region}/gamedata/excel/${file}.json`);
  const names = json('upstream-2026/arknights-names/2026-08-21/resource/battle_data.json').chars;
  const [ja, ko] = ['jp', 'kr'].map((region) => excel(region, 'enemy_handbook_table').enemyData);
  const last = (row: Raw) => row.phases.at(-1).attributesKeyFrames.at(-1).data;
  return [
    {
      collection: 'characters',
      rows: byKey(json('upstream-2026/arknights/2025-10-10/en_US/gamedata/excel/character_table.json')),
      values: {
        name: (row) => row.name,
        rarity: (row) => Number(row.rarity.slice(5)),
        class: (row) => row.profession,
        position: (row) => row.position,
        'stats.hp': (row) => last(row).maxHp,
        'stats.cost': (row) => last(row).cost,
        name_zh_cn: (_, id) => names[id]?.name,
        name_zh_tw: (_, id) => names[id]?.name_tw,
      },
    },
    {
      collection: 'enemies',
      rows: byKey(excel('en', 'enemy_handbook_table').enemyData),
      values: {
        name: (row) => row.name,
        level: (row) => row.enemyLevel,
        code: (row) => row.enemyIndex,
        name_ja: (_, id) => ja[id]?.name,
        name_ko: (_, id) => ko[id]?.name,
      },
    },
    {
      collection: 'banners',
      rows: byId(excel('en', 'gacha_table').gachaPoolClient, 'gachaPoolId'),
      values: {
        name: (row) => words(row.gachaPoolName),
        start: (row) => seconds(row.openTime),
        end: (row) => endAt(row.endTime),
      },
    },
  ];
}

function fateGrandOrder(): RawTable[] {
  const [na, jp] = ['na-2.18.2-dv331-2021-07-04', 'jp-2.35.1-dv1185-2021-07-21'];
  const master = (dump: string, file: string) => json(`upstream/fgo/${dump}/master/${file}.json`) as Raw[];
  const limitRows = master(na ?? '', 'mstSvtLimit');
  // One servant gets more with her last ascension.
  const limits = byId(
    limitRows.filter(({ limitCount }) => limitCount <= 4),
    'svtId',
  );
  const bases = byId(
    limitRows.filter(({ limitCount }) => limitCount === 0),
    'svtId',
  );
  const servants = byId(master(jp ?? '', 'mstSvt'));
  return [
    {
      collection: 'characters',
      rows: byId(master(na ?? '', 'mstSvt')),
      values: {
        name: (row) => row.name,
        cost: (row) => row.cost,
        collection_no: (row) => row.collectionNo,
        rarity: (_, id) => bases.get(id).rarity,
        'stats.hp': (_, id) => limits.get(id).hpMax,
        'stats.atk_base': (_, id) => bases.get(id).atkBase,
        name_ja: (_, id) => servants.get(id)?.name,
      },
    },
    {
      collection: 'events',
      rows: byId(master(na ?? '', 'mstEvent')),
      values: { start: (row) => seconds(row.startedAt), end: (row) => endAt(row.endedAt) },
    },
  ];
}

function fateGrandOrderJp(): RawTable[] {
  const file = (name: string) => json(`upstream-2026/fgo/2026-08-18/${name}.json`);
  const names = file('names');
  return [
    {
      collection: 'characters',
      rows: byId(file('servants')),
      values: {
        name_ja: (row) => row.name,
        collection_no: (row) => row.collectionNo,
        rarity: (row) => row.rarity,
        cost: (row) => row.cost,
        'stats.hp': (row) => row.hpMax,
        'stats.atk': (row) => row.atkMax,
        'stats.hp_base': (row) => row.hpBase,
        name_ko: (row) => names[row.name]?.KR ?? undefined,
        name_zh_cn: (row) => names[row.name]?.CN ?? undefined,
      },
    },
    {
      collection: 'banners',
      rows: byId(file('gacha')),
      values: { start: (row) => seconds(row.openedAt), end: (row) => endAt(row.closedAt) },
    },
    {
      collection: 'items',
      // A coin gets its name with its servant.
      rows: byId(file('items_raw').filter((row: Raw) => row.name !== 'サーヴァントコイン')),
      values: { name_ja: (row) => words(row.name) },
    },
  ];
}

function gakuenIdolmaster(): RawTable[] {
  const dump = 'upstream/gakumas/2026-03-31';
  const rank = (row: Raw) => /_(\w+)$/.exec(row.rarity)?.[1]?.toUpperCase();
  return [
    {
      collection: 'characters',
      rows: byId(yaml(`${dump}/IdolCard.yaml`)),
      values: {
        title: (row) => row.name,
        idol: (row) => row.characterId,
        rank,
        'stats.vocal': (row) => Number(row.produceVocal),
        'stats.dance': (row) => Number(row.produceDance),
        'stats.visual': (row) => Number(row.produceVisual),
        'stats.stamina': (row) => Number(row.produceStamina),
      },
    },
    {
      collection: 'support_cards',
      rows: byId(yaml(`${dump}/SupportCard.yaml`)),
      values: { name: (row) => row.name, rank },
    },
  ];
}

function genshinImpact(): RawTable[] {
  const data = 'upstream-2026/genshin/6.7/src/data';
  const stats = json(`${data}/stats/characters.json`);
  const table = (kind: string) => {
    const names = new Map(
      ['Japanese', 'Korean'].map((language) => [
        language,
        byId([...folder(`${data}/${language}/${kind}`).values()]),
      ]),
    );
    return {
      rows: byId([...folder(`${data}/English/${kind}`)].map(([key, row]) => ({ ...row, key }))),
      nameIn: (language: string) => (_: Raw, id: string) => names.get(language)?.get(id)?.name,
    };
  };
  const [characters, weapons] = [table('characters'), table('weapons')];
  return [
    {
      collection: 'characters',
      rows: characters.rows,
      values: {
        name: (row) => row.name,
        rarity: (row) => row.rarity,
        gender: (row) => row.gender,
        birthday: (row) => row.birthdaymmdd || undefined,
        'base.hp': (row) => stats[row.key].base.hp,
        'base.def': (row) => stats[row.key].base.defense,
        name_ja: characters.nameIn('Japanese'),
        name_ko: characters.nameIn('Korean'),
      },
    },
    {
      collection: 'weapons',
      rows: weapons.rows,
      values: {
        name: (row) => row.name,
        rarity: (row) => row.rarity,
        name_ja: weapons.nameIn('Japanese'),
        name_ko: weapons.nameIn('Korean'),
      },
    },
  ];
}

function honkaiStarRail(): RawTable[] {
  const store = (name: string) => json(`upstream-2026/honkai-star-rail/2026-07-24/store/hsr/${name}.json`);
  const texts = store('hsr');
  const named = (language: string, of: string) => (row: Raw) => words(texts[language]?.[row[of].Hash]);
  const names = (of: string) => ({
    name: named('en', of),
    name_ja: named('ja', of),
    name_ko: named('ko', of),
    name_ru: named('ru', of),
    rarity: (row: Raw) => row.Rarity,
  });
  return [
    {
      collection: 'characters',
      rows: byKey(store('avatars')),
      values: {
        ...names('AvatarName'),
        'growth.hp': (row) => row.Promotion['0'].HPAdd,
        'images.icon': (row) => `https://enka.network${row.AvatarSideIconPath}`,
      },
    },
    { collection: 'light_cones', rows: byKey(store('weapons')), values: names('EquipmentName') },
  ];
}

function limbusCompany(): RawTable[] {
  const data = (name: string) => json(`upstream-2026b/limbus-company/2026-07-24/${name}.json`);
  const day = (row: Raw) => String(row.updatedDate).replace(/^(....)(..)/, '$1-$2-');
  const details = data('identities_detail');
  return [
    {
      collection: 'characters',
      // One of the tables of that day was released later.
      rows: byId(data('identities').filter((row: Raw) => row.updatedDate <= 20260724)),
      values: {
        identity: (row) => row.title.replaceAll('\n', ' ').trim(),
        rarity: (row) => row.star,
        released_at: day,
        'resistances.slash': (row) => row.resists.slash,
        'stats.hp_per_level': (_, id) => details[id].hp.incrementByLevel,
        'stats.defense_correction': (_, id) => details[id].defCorrection,
      },
    },
    {
      collection: 'egos',
      rows: byId(data('egos')),
      values: { rank: (row) => row.rarity.toUpperCase(), released_at: day },
    },
  ];
}

function pokemonTcgPocket(): RawTable[] {
  // There is no dump beside the repository: the raw files are those of data/, as the package has them.
  const raw = path.relative(ROOT, path.join(DATA, 'pokemon-tcg-pocket'));
  const cards = (kind: string) =>
    readdirSync(path.join(ROOT, raw))
      .map((build) => path.join(raw, build, 'raw', kind))
      .filter((where) => existsSync(path.join(ROOT, where)))
      .flatMap((where) => [...folder(where).values()].flat())
      .map((row) => ({ ...row, id: `${row.set}-${row.number}` }));
  const details = byId(cards('details'));
  return [
    {
      collection: 'characters',
      rows: byId(cards('cards')),
      values: {
        name: (row) => row.name,
        set: (row) => row.set,
        number: (row) => row.number,
        rarity_code: (row) => row.rarity,
        element: (_, id) => details.get(id)?.element?.toLowerCase(),
      },
    },
  ];
}

function princessConnect(dump: string): RawTable[] {
  const file = (name: string) => csv(`${dump}/${name}.csv`);
  const number = (key: string) => (row: Raw) => Number(row[key]);
  // Who does not fight alone stands still.
  const ofFighter = (key: string) => (row: Raw) => (row.move_speed === '0' ? undefined : Number(row[key]));
  return [
    {
      collection: 'characters',
      rows: byId(file('unit_data'), 'unit_id'),
      values: {
        name: (row) => row.unit_name,
        rarity: number('rarity'),
        move_speed: ofFighter('move_speed'),
        range: ofFighter('search_area_width'),
        attack_interval: ofFighter('normal_atk_cast_time'),
      },
    },
    {
      collection: 'equipment',
      rows: byId(file('equipment_data'), 'equipment_id'),
      values: {
        name: (row) => row.equipment_name,
        price: number('sale_price'),
        level: number('require_level'),
      },
    },
    {
      collection: 'banners',
      rows: byId(file('gacha_data'), 'gacha_id'),
      values: { name: (row) => row.gacha_name },
    },
  ];
}

function cardsOf(cards: Raw[], rarityOf: Pick): RawTable {
  const power = (kind: number, level: number) => (row: Raw) => {
    const ofKind = (Array.isArray(row.cardParameters) ? row.cardParameters : []).filter(
      (each: Raw) => each.cardParameterType === `param${kind}`,
    );
    return (
      ofKind.find((each: Raw) => each.cardLevel === level)?.power ??
      row.cardParameters[`param${kind}`]?.[level - 1]
    );
  };
  const levels = (kind: number, stat: string) => [[`levels.0.${stat}`, power(kind, 1)]] as const;
  return {
    collection: 'characters',
    rows: byId(cards),
    values: {
      title: (row) => row.prefix,
      attribute: (row) => row.attr,
      character: (row) => String(row.characterId),
      skill_name: (row) => words(row.cardSkillName),
      released_at: (row) => new Date(row.releaseAt).toISOString(),
      rarity: rarityOf,
      ...Object.fromEntries([
        ...levels(1, 'performance'),
        ...levels(2, 'technique'),
        ...levels(3, 'stamina'),
      ]),
    },
  };
}

function projectSekaiKr(): RawTable[] {
  const file = (name: string) => json(`upstream-2026/project-sekai/5.2.0.5/master/${name}.json`);
  // The newest build is of a later dump, which has other texts of cards from 1122 on, of card 1061 and of event 158.
  const master = (name: string) => file(name).filter(({ id }: Raw) => id < 1122 && ![158, 1061].includes(id));
  return [
    cardsOf(master('cards'), (row) => Number(/^rarity_(\d)$/.exec(row.cardRarityType)?.[1] ?? 4)),
    {
      collection: 'events',
      rows: byId(master('events')),
      values: { name: (row) => row.name, start: (row) => new Date(row.startAt).toISOString() },
    },
  ];
}

function zenlessZoneZero(): RawTable[] {
  const store = (name: string) => json(`upstream-2026/zenless-zone-zero/2026-07-24/store/zzz/${name}.json`);
  const texts = store('locs');
  const named = (language: string, of: string) => (row: Raw) => words(texts[language]?.[row[of]]);
  return [
    {
      collection: 'characters',
      rows: byKey(store('avatars')),
      values: {
        name: named('en', 'Name'),
        name_ja: named('ja', 'Name'),
        name_ko: named('ko', 'Name'),
        rarity: (row) => row.Rarity,
        'base.hp': (row) => row.BaseProps['11101'],
        'base.atk': (row) => row.BaseProps['12101'],
        'growth.def': (row) => row.GrowthProps['13101'],
        'images.icon': (row) => `https://enka.network${row.CircleIcon}`,
      },
    },
    {
      collection: 'weapons',
      rows: byKey(store('weapons')),
      values: {
        name: named('en', 'ItemName'),
        name_ja: named('ja', 'ItemName'),
        rarity: (row) => row.Rarity,
        'base.stat': (row) => row.MainStat.PropertyValue,
      },
    },
  ];
}

/** Reads the newest dump of each game. */
export const RAW_DUMPS: Readonly<Record<string, () => RawTable[]>> = {
  arknights,
  'fate-grand-order': fateGrandOrder,
  'fate-grand-order-jp': fateGrandOrderJp,
  'gakuen-idolmaster': gakuenIdolmaster,
  'genshin-impact': genshinImpact,
  'honkai-star-rail': honkaiStarRail,
  'limbus-company': limbusCompany,
  'pokemon-tcg-pocket': pokemonTcgPocket,
  'princess-connect': () => princessConnect('upstream-2026b/princess-connect/202410141855'),
  'princess-connect-jp': () => princessConnect('upstream-2026/princess-connect-jp/10054600'),
  'project-sekai': () => [cardsOf(json('upstream/project-sekai/jp-1.1.0.1/cards.json'), (row) => row.rarity)],
  'project-sekai-kr': projectSekaiKr,
  'zenless-zone-zero': zenlessZoneZero,
};
