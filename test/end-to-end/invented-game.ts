import type { Files } from '../support/fixtures.ts';

/** A unit of the invented game. */
interface Unit {
  name: string;
  ja: string;
  tier: string;
  role: string;
  debut: string;
  attack: number;
}

const UNITS: readonly Unit[] = [
  { name: 'Ann', ja: 'アン', tier: 'TIER_GOLD', role: 'striker', debut: '2026.01.05 11:00', attack: 120 },
  {
    name: 'Bob &amp; Co',
    ja: 'ボブ',
    tier: 'TIER_SILVER',
    role: 'warden',
    debut: '2026.01.05 11:00',
    attack: 95,
  },
  { name: 'Cid', ja: 'シド', tier: 'TIER_GOLD', role: 'striker', debut: '2026.01.05 11:00', attack: 130 },
  { name: 'Dee', ja: 'ディー', tier: 'TIER_BRONZE', role: 'mender', debut: '2026.01.05 11:00', attack: 60 },
  { name: 'Eve', ja: 'イヴ', tier: 'TIER_SILVER', role: 'mender', debut: '2026.01.05 11:00', attack: 70 },
  { name: 'Fay', ja: 'フェイ', tier: 'TIER_GOLD', role: 'warden', debut: '2026.02.02 11:00', attack: 101 },
  {
    name: '{M#Gil}{F#Gila}',
    ja: '{M#ギル}{F#ギラ}',
    tier: 'TIER_SILVER',
    role: 'striker',
    debut: '2026.02.02 11:00',
    attack: 99,
  },
  { name: 'Hal', ja: 'ハル', tier: 'TIER_BRONZE', role: 'warden', debut: '2026.03.02 11:00', attack: 80 },
];

/** The first id; JavaScript numbers cannot hold it. */
const FIRST_UID = 9_007_199_254_740_993_001n;
const LEVELS = [1, 20, 40];

/** What Windows programs write: a byte order mark, and their line ends. */
function asWindows(text: string): Buffer {
  return Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`);
}

function uidOf(index: number): bigint {
  return FIRST_UID + BigInt(index) * 1000n;
}

function hashOf(index: number): string {
  return `0x${(0xa1b2c3 + index * 7919).toString(16)}`;
}

/** Not by a library: these integers are too large for JSON.stringify. */
function unitMaster(units: readonly Unit[]): string {
  const rows = units.map(({ tier, role, debut }, index) => {
    const fields = [`"UnitUid": ${uidOf(index)}`, `"NameHash": "${hashOf(index)}"`, `"Tier": "${tier}"`];
    return `    { ${[...fields, `"Role": "${role}"`, `"Debut": "${debut}"`].join(', ')} }`;
  });
  return `{\n  "Rows": [\n${rows.join(',\n')}\n  ]\n}\n`;
}

function unitGrowth(units: readonly Unit[]): string {
  const rows = units.flatMap(({ attack }, index) =>
    LEVELS.map((level) => `${uidOf(index)};${level};${attack * level * 10};${attack + level}`),
  );
  return `UnitUid;Level;MaxHp;Attack\n${rows.join('\n')}\n`;
}

function strings(units: readonly Unit[], of: 'name' | 'ja'): string {
  const lines = units.map((unit, index) => `${hashOf(index)} => <color=#ffcc00>${unit[of]}</color>`);
  return `# exported\n${lines.join('\n')}\nui_ok => OK\nui_back => <b>Back</b>\n`;
}

/**
 * A dump of a game that was invented to be awkward: names by hash in key-value text with an unusual delimiter and markup, a folder for each
 * language and region, one roster in two tables, ids that are too large for a number, tiers for rarities, stats of several levels in another
 * file, local times with dots, and files as Windows programs write them.
 *
 * @param counts how many units the Japanese and the Korean table have
 */
export function inventedDump(version: string, counts: { jp: number; kr: number }): Files {
  const jp = UNITS.slice(0, counts.jp);
  const kr = UNITS.slice(0, counts.kr);
  const all = jp.length > kr.length ? jp : kr;
  return {
    'version.json': { client: { name: `rel_${version}` } },
    'regions/jp/UnitMaster.json': asWindows(unitMaster(jp)),
    'regions/kr/UnitMaster.json': asWindows(unitMaster(kr)),
    'shared/UnitGrowth.csv': asWindows(unitGrowth(all)),
    'text/en/strings.txt': asWindows(strings(all, 'name')),
    'text/ja/strings.txt': asWindows(strings(all, 'ja')),
  };
}
