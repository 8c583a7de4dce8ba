import type { Files } from './fixtures.ts';

/** Characters that no build changes. */
export const BYSTANDERS = Array.from({ length: 20 }, (_, index) => ({
  id: `x${index}`,
  name: `Bystander ${index}`,
}));

const LEAVING = [{ check: 'records-lost', reason: 'Characters leave.' }];

/** A game with five builds that add, change, remove and restore characters. The last one is still embargoed at NOON. */
export const OVER_TIME: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01', note: 'first' },
  'saga/1.0/characters.json': [
    { id: 'ann', name: 'Ann', rarity: 5, stats: { atk: 100 }, skills: [{ id: 's1', power: 1 }] },
    { id: 'bob', name: 'Bob', stats: { atk: 50 } },
    ...BYSTANDERS,
  ],
  'saga/1.0/pull_planner.json': { currency: 'Gem', cost: 160 },
  'saga/1.0/items.json': [
    { id: 'i1', name: 'One' },
    { id: 'i2', name: 'Two', price: 5 },
  ],
  'saga/1.1/build.json': { released_at: '2026-02-01' },
  'saga/1.1/characters.json': [
    { id: 'ann', name: 'Ann', rarity: 5, stats: { atk: 120 }, skills: [{ id: 's1', power: 2 }] },
    { id: 'bob', name: 'Bob', stats: { atk: 50 } },
    { id: 'cy', name: 'Cy', title: 'the new one' },
    ...BYSTANDERS,
  ],
  'saga/1.2/build.json': { released_at: '2026-03-01', note: 'Bob leaves', overrides: LEAVING },
  'saga/1.2/characters.json': [
    { id: 'ann', name: 'Anna', rarity: 5, stats: { atk: 120 }, skills: [{ id: 's1', power: 2 }] },
    { id: 'cy', name: 'Cy', title: 'the new one' },
    ...BYSTANDERS,
  ],
  'saga/1.2/pull_planner.json': { currency: 'Gem', cost: 150 },
  'saga/1.2/items.json': [
    { id: 'i2', name: 'Two', price: 7 },
    { id: 'i3', name: 'Three' },
  ],
  'saga/1.3/build.json': { released_at: '2026-04-01' },
  'saga/2.0/build.json': { released_at: '2026-07-01', note: 'a secret', overrides: LEAVING },
  'saga/2.0/characters.json': [{ id: 'secret', name: 'Secret', title: 'the hidden one' }, ...BYSTANDERS],
};
