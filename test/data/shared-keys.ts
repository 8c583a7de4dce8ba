import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Attribute, AttributeDictionary } from '../../scripts/format/attributes.ts';
import { compileShipped } from './compile-shipped.ts';

/** Keys that do not mean the same in all games, and why. The others do: a new one that does not is a mistake. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'characters.birthday': 'a day of a year; in project-sekai-kr whether it is a card of a birthday',
  'characters.character': 'princess-connect* have a name where project-sekai* have a singer of `cast`',
  'characters.costumes': 'gakuen-idolmaster has ids where others have objects',
  'characters.effects.skills': 'the ids of skills, or their names in games whose skills have no ids',
  'characters.passive_skills': 'fate-grand-order has no more than their ids',
  'characters.skills.slot': 'each game has its own slots: numbers, keys or words',
  'characters.growth.atk': 'the units of each game',
  'characters.growth.def': 'the units of each game',
  'characters.growth.hp': 'the units of each game',
  'characters.rarity': 'ranks, not stars, in some games',
  'characters.stats.energy_regen': 'the units of each game',
  'events.type': 'fate-grand-order has a number of the game, which `kind` says in words',
  'materials.rarity': 'tiers in arknights',
  'pull_rates.banner': 'packs of pokemon-tcg-pocket are records of `sets`',
  'rarities.rarity': 'ranks in pokemon-tcg-pocket',
  'skills.effects': 'princess-connect* count the actions of a skill',
  'weapons.base.substat': 'the units of each game',
  'weapons.rarity': 'ranks in zenless-zone-zero',
  'weapons.stat.value': 'the units of each game',
  'weapons.substat': 'genshin-impact has no more than its name',
  'weapons.substat.value': 'the units of each game',
};

const test = suite('keys that several games have');

/** What has to be the same: the shape of the values, their kind as far as it matters to readers, and their unit. */
function meaningOf({ type, list, kind, unit }: Attribute): string {
  const isNumber = type === 'integer' || type === 'number';
  const words = kind === 'reference' ? 'id' : kind;
  return [isNumber ? 'number' : type, list ? 'list' : '', words ?? '', unit ?? ''].join(' ');
}

/** Tests that one key means the same in every game. @param slugs the games */
export function testSharedKeys(slugs: readonly string[]): void {
  test('mean the same in each of them, except those that are known', async () => {
    const meanings = new Map<string, Map<string, string>>();
    for (const slug of slugs) {
      const { value } = await compileShipped(slug);
      const file = [...(value?.files ?? [])].findLast(([name]) => name.startsWith(`${slug}/attributes.`));
      const dictionary = JSON.parse(String(file?.[1])) as AttributeDictionary;
      // The example of a calculation shows the numbers of its game.
      for (const [collection, { attributes }] of Object.entries(dictionary).filter(
        ([key]) => key !== 'stat_calc',
      ))
        for (const attribute of attributes) {
          const key = `${collection}.${attribute.key}`;
          meanings.set(key, (meanings.get(key) ?? new Map()).set(slug, meaningOf(attribute)));
        }
    }
    const different = [...meanings].filter(([, games]) => new Set(games.values()).size > 1);
    const unknown = different.filter(([key]) => DIFFERENT[key] === undefined);
    assert.equal(
      unknown.map(
        ([key, games]) => `${key}: ${[...games].map(([slug, meaning]) => `${slug} ${meaning}`).join(', ')}`,
      ),
      [],
    );
    assert.equal(
      Object.keys(DIFFERENT).filter((key) => !different.some(([other]) => other === key)),
      [],
    );
  });
  test.run();
}
