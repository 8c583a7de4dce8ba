import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePlan } from '../support/fixtures.ts';
import { compileShipped } from './compile-shipped.ts';

const test = suite('stat_calc');

const STATS = ['hp', 'atk', 'def'];

type Stats = Record<string, number>;

/** A character or weapon, with the values that the formula of its game reads. */
interface Subject {
  id: string;
  name: string;
  stats: Stats;
}

/** One worked example: its subject and level, and the figures of each stat. */
type Example = { id: string; name: string; level: number; phase: number } & Record<string, unknown>;

/** Reads the newest build, its example, and the subject of the example. */
async function readExample<T>(slug: string, name: string, list: string) {
  const { value } = await compileShipped(slug);
  const build = value && parsePlan(value).at(-1);
  assert.ok(build, slug);
  const { characters, datasets } = build;
  const statCalc = datasets.stat_calc as unknown as Record<string, Example>;
  const example = statCalc[name] as Example;
  const subjects = (list === 'characters' ? characters : datasets[list]) as unknown as (Subject & T)[];
  const subject = subjects.find(({ id }) => id === example.id) as Subject & T;
  assert.is(subject.name, example.name);
  return { example, subject, datasets, rules: (statCalc[list] ?? {}) as unknown as Record<string, string> };
}

/** Rounds to ten decimals, which removes the errors of binary arithmetic. */
function tidy(figures: Stats): Stats {
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, Number(figure.toFixed(10))]),
  );
}

function findBy<T extends object>(list: readonly T[], name: keyof T, value: unknown): T {
  const found = list.find((entry) => entry[name] === value);
  assert.ok(found, `no ${String(name)} ${value}`);
  return found;
}

interface GenshinSubject {
  base: Stats & { substat: number };
  levels: (Stats & { level: number })[];
  curve: Record<string, string>;
  promotion: (Stats & { phase: number })[];
  substat_value: number;
}

test("Genshin Impact: the data gives the example's figures by the formula", async () => {
  const { example, subject, datasets, rules } = await readExample<GenshinSubject>(
    'genshin-impact',
    'example',
    'characters',
  );
  assert.match(
    rules.formula ?? '',
    'base.<stat> * level_curves[level].<curve.<stat>> + promotion[phase].<stat>',
  );
  assert.equal([example.id, example.level, example.phase], ['10000046', 90, 6]);
  const row = findBy(datasets.level_curves as unknown as Stats[], 'level', example.level);
  const promotions = findBy(subject.promotion, 'phase', example.phase);
  for (const stat of STATS) {
    const base = subject.base[stat] as number;
    const factor = row[subject.curve[stat] as string] as number;
    const promotion = promotions[stat] as number;
    const exact = base * factor + promotion;
    const figures = { base, factor, promotion, exact, shown: Math.round(exact) };
    assert.is(subject.stats[stat], figures.shown, stat);
    assert.is(subject.levels.findLast(({ level }) => level === example.level)?.[stat], figures.shown);
    assert.equal(tidy(figures), example[stat], stat);
  }
});

test("Genshin Impact: the data gives the weapon example's figures by the formulas", async () => {
  const { example, subject, datasets, rules } = await readExample<GenshinSubject>(
    'genshin-impact',
    'weapon_example',
    'weapons',
  );
  assert.match(
    rules.formula ?? '',
    'base.atk * weapon_level_curves[level].<curve.atk> + promotion[phase].atk',
  );
  assert.is(rules.substat_formula, 'base.substat * weapon_level_curves[level].<curve.substat>');
  const row = findBy(datasets.weapon_level_curves as unknown as Stats[], 'level', example.level);
  const factor = (stat: string) => row[subject.curve[stat] as string] as number;
  const atk =
    (subject.base.atk as number) * factor('atk') +
    (findBy(subject.promotion, 'phase', example.phase).atk as number);
  const substat = subject.base.substat * factor('substat');
  assert.equal(tidy({ exact: atk, shown: Math.round(atk) }), example.atk);
  assert.is(subject.stats.atk, Math.round(atk));
  assert.is(subject.substat_value, Number(substat.toFixed(4)));
  assert.equal(
    { exact: Number(substat.toFixed(10)), shown: `${(100 * substat).toFixed(1)}%` },
    example.substat,
  );
});

test("Wuthering Waves: the data gives the example's figures by the formula", async () => {
  const { example, subject, datasets, rules } = await readExample<{ base: Stats }>(
    'wuthering-waves',
    'example',
    'characters',
  );
  assert.is(rules.formula, 'base.<stat> * level_curves[level].<stat>');
  const row = findBy(datasets.level_curves as unknown as Stats[], 'level', example.level);
  for (const stat of STATS) {
    const [base, factor] = [subject.base[stat] as number, row[stat] as number];
    const exact = base * factor;
    assert.equal(tidy({ base, factor, exact, shown: Math.floor(exact) }), example[stat], stat);
    assert.is(subject.stats[stat], Math.floor(exact), stat);
  }
});

interface StarRailSubject {
  growth: Stats;
  promotion: (Stats & { phase: number })[];
  levels: (Stats & { level: number })[];
}

test("Honkai: Star Rail: the data gives the example's figures by the formula", async () => {
  const { example, subject, rules } = await readExample<StarRailSubject>(
    'honkai-star-rail',
    'example',
    'characters',
  );
  assert.is(rules.formula, 'promotion[phase].<stat> + growth.<stat> * (level - 1)');
  for (const stat of STATS) {
    const base = findBy(subject.promotion, 'phase', example.phase)[stat] as number;
    const growth = subject.growth[stat] as number;
    const exact = base + growth * (example.level - 1);
    assert.equal(tidy({ base, growth, exact, shown: Math.floor(exact) }), example[stat], stat);
    assert.is(subject.stats[stat], Math.floor(exact), stat);
    assert.is(subject.levels.at(-1)?.[stat], Math.floor(exact), stat);
  }
});

interface SekaiSubject {
  training_bonus: Stats;
  levels: (Stats & { level: number })[];
}

for (const slug of ['project-sekai', 'project-sekai-kr']) {
  test(`${slug}: the data gives the example's figures by the formula`, async () => {
    const { example, subject, rules } = await readExample<SekaiSubject>(slug, 'example', 'characters');
    assert.is(rules.formula, 'levels[level].<stat> + training_bonus.<stat>');
    for (const stat of ['performance', 'technique', 'stamina']) {
      const at_level = findBy(subject.levels, 'level', example.level)[stat] as number;
      const bonus = subject.training_bonus[stat] as number;
      assert.equal(
        { at_level, bonus, exact: at_level + bonus, shown: at_level + bonus },
        example[stat],
        stat,
      );
      assert.is(subject.stats[stat], at_level + bonus, stat);
    }
  });
}

interface ZenlessSubject {
  base: Stats;
  growth: Stats;
  promotion: (Stats & { phase: number })[];
  core_enhancement: { level: number; bonuses: { property: string; value: number }[] }[];
}

test("Zenless Zone Zero: the data gives the example's figures by the formula", async () => {
  const { example, subject, rules } = await readExample<ZenlessSubject>(
    'zenless-zone-zero',
    'example',
    'characters',
  );
  assert.is(
    rules.formula,
    'base.<stat> + growth.<stat> * (level - 1) / 10000 + promotion[phase - 1].<stat> + value of core_enhancement[core].bonuses for the stat',
  );
  const properties = rules.properties as unknown as Record<string, string>;
  const { bonuses } = subject.core_enhancement[example.core as number] ?? { bonuses: [] };
  const coreOf = (stat: string) => bonuses.find(({ property }) => property === properties[stat])?.value ?? 0;
  for (const stat of STATS) {
    const base = subject.base[stat] as number;
    const growth = subject.growth[stat] as number;
    const promotion = subject.promotion[example.phase - 1]?.[stat] as number;
    const core = coreOf(stat);
    const exact = base + (growth * (example.level - 1)) / 10_000 + promotion + core;
    assert.equal(
      tidy({ base, growth, promotion, core, exact, shown: Math.floor(exact) }),
      example[stat],
      stat,
    );
    assert.is(subject.stats[stat], Math.floor(exact), stat);
  }
  assert.is(subject.stats.anomaly_proficiency, (example.anomaly_proficiency as Stats).shown);
  const [base, core] = [subject.base.anomaly_proficiency as number, coreOf('anomaly_proficiency')];
  assert.equal({ base, core, exact: base + core, shown: base + core }, example.anomaly_proficiency);
});

interface ArknightsSubject {
  phases: { first: Stats; last: Stats; max_level: number }[];
  trust: Stats;
}

test("Arknights: the data gives the example's figures by the formula, and the roster's stats", async () => {
  const { example, subject, rules } = await readExample<ArknightsSubject>(
    'arknights',
    'example',
    'characters',
  );
  assert.match(
    rules.formula ?? '',
    'first.<stat> + (last.<stat> - first.<stat>) * (level - 1) / (max_level - 1), with first',
  );
  const phase = subject.phases[example.phase];
  assert.ok(phase);
  for (const stat of STATS) {
    const [first, last] = [phase.first[stat] as number, phase.last[stat] as number];
    const value = Math.round(first + ((last - first) * (example.level - 1)) / (phase.max_level - 1));
    const trust = subject.trust[stat] as number;
    assert.equal(
      { first, last, value, ...(trust > 0 && { with_trust: value + trust }) },
      example[stat],
      stat,
    );
    assert.is(subject.stats[stat], value);
  }
});

interface GakuenSubject {
  growth: Stats;
}

test("Gakuen Idolmaster: the data gives the example's figures by the formula", async () => {
  const { example, subject, rules } = await readExample<GakuenSubject>(
    'gakuen-idolmaster',
    'example',
    'characters',
  );
  assert.is(rules.formula, 'stats.<parameter> + gain * (1 + growth.<parameter>)');
  assert.equal(rules.parameters, ['vocal', 'dance', 'visual']);
  for (const parameter of Object.keys(subject.growth)) {
    const [base, growth] = [subject.stats[parameter] as number, subject.growth[parameter] as number];
    const exact = base + (example.gain as number) * (1 + growth);
    assert.equal(tidy({ base, growth, exact }), example[parameter], parameter);
  }
});

interface FateSubject {
  rarity: number;
  max_level: number;
}

test("Fate/Grand Order: the data gives the example's figures by the formula", async () => {
  const { example, subject, datasets, rules } = await readExample<FateSubject>(
    'fate-grand-order',
    'example',
    'characters',
  );
  assert.is(rules.formula, 'stats.<stat> + rarities[rarity].<cap>.<stat>');
  assert.equal([example.level, example.rarity], [subject.max_level, subject.rarity]);
  const caps = findBy(datasets.rarities as unknown as Record<string, Stats>[], 'rarity', subject.rarity);
  for (const stat of ['hp', 'atk']) {
    const max = subject.stats[stat] as number;
    const capped = (cap: string) => max + (caps[cap]?.[stat] as number);
    assert.equal({ max, fou: capped('fou'), golden_fou: capped('golden_fou') }, example[stat], stat);
  }
});

interface Fighter {
  id: string;
  name: string;
  class: string;
  class_id: string;
  attribute: string;
}

interface Relation {
  id: string;
  attacker: string;
  defender: string;
  rate: number;
}

test('Fate/Grand Order: the data gives the figures of the example of who strikes whom', async () => {
  const { value } = await compileShipped('fate-grand-order');
  const build = value && parsePlan(value).at(-1);
  assert.ok(build);
  const characters = build.characters as unknown as Fighter[];
  const classes = build.datasets.classes as unknown as { id: string; attack_rate: number }[];
  const classRelations = build.datasets.class_relations as unknown as Relation[];
  const attributeRelations = build.datasets.attribute_relations as unknown as Relation[];
  const { matchups, matchup_example } = build.datasets.stat_calc as unknown as {
    matchups: { formula: string };
    matchup_example: { attacker: Fighter; defender: Fighter } & Stats;
  };
  assert.is(
    matchups.formula,
    'classes[class_id].attack_rate * class_relations[attacker-defender].rate * attribute_relations[attacker-defender].rate',
  );
  const { attacker, defender, ...figures } = matchup_example;
  const [from, to] = [attacker, defender].map((fighter) => {
    const found = findBy(characters, 'id', fighter.id);
    const { id, name, class: of, attribute } = found;
    assert.equal({ id, name, class: of, attribute }, fighter);
    return found;
  }) as [Fighter, Fighter];
  const attack_rate = findBy(classes, 'id', from.class_id).attack_rate;
  const class_rate = findBy(classRelations, 'id', `${from.class_id}-${to.class_id}`).rate;
  const attribute_rate = attributeRelations.find(
    (relation) => relation.attacker === from.attribute && relation.defender === to.attribute,
  )?.rate as number;
  const computed = {
    attack_rate,
    class_rate,
    attribute_rate,
    value: attack_rate * class_rate * attribute_rate,
  };
  assert.equal(tidy(computed), figures);
});

interface PrincessSubject {
  rarities: { rarity: number; stats: Stats; growth: Stats }[];
}

for (const slug of ['princess-connect', 'princess-connect-jp']) {
  test(`${slug}: the data gives the example's figures by the formula`, async () => {
    const { example, subject, rules } = await readExample<PrincessSubject>(slug, 'example', 'characters');
    assert.is(
      rules.formula,
      'stats.<stat> + growth.<stat> * (level + rank), with stats and growth of rarities[rarity]',
    );
    const { stats, growth } = findBy(subject.rarities, 'rarity', example.rarity);
    for (const stat of STATS) {
      const [base, perLevel] = [stats[stat] as number, growth[stat] as number];
      const exact = base + perLevel * (example.level + (example.rank as number));
      assert.equal(tidy({ base, growth: perLevel, exact, shown: Math.round(exact) }), example[stat], stat);
    }
  });
}

test.run();
