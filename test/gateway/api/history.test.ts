import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_MEMBERS } from '../../../scripts/diff/history.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { BYSTANDERS, OVER_TIME } from '../../support/over-time.ts';

// test/golden records builds, timelines and series; here is what its small games do not have.

const history = suite<{ gateway: TestGateway }>('history');
history.before(async (context) => {
  context.gateway = await startGateway(OVER_TIME);
});

interface LongEntry extends Lists {
  build: string;
  pages?: number;
  next?: string;
  amended: { changes?: Lists }[];
}

interface Lists {
  datasets: Partial<Record<'rows', { added: string[]; counts?: object }>>;
}

const rows = Array.from({ length: 2 * MAX_MEMBERS + 1 }, (_, at) => ({ id: `r${at}`, name: `Row ${at}` }));
const AMENDED = {
  characters: { added: [], removed: [], changed: [] },
  datasets: { rows: { added: rows.map(({ id }) => id), removed: [], changed: [] } },
};

history(
  'divides long lists of a build and of its corrections into pages, each with the address of the next',
  async () => {
    const gateway = await startGateway({
      'saga/game.json': { title: 'Saga' },
      'saga/1.0/build.json': {
        released_at: '2026-01-01',
        amended: [{ at: '2026-01-02T00:00:00Z', reason: 'rows', changes: 'amendments/1.0.1.json' }],
      },
      'saga/1.0/characters.json': BYSTANDERS,
      'saga/1.0/pull_planner.json': { cost: 160 },
      'saga/1.0/rows.json': rows,
      'saga/amendments/1.0.1.json': AMENDED,
    });
    const added: unknown[] = [];
    const corrected: unknown[] = [];
    const builds: string[] = [];
    const counts: unknown[] = [];
    for (let next: string | undefined = '/api/saga/history'; next !== undefined; ) {
      const { json } = await gateway.ask(next, { key: gateway.keys.pro });
      const [entry] = json<{ builds: LongEntry[] }>().builds;
      added.push(...(entry?.datasets.rows?.added ?? []));
      corrected.push(...(entry?.amended[0]?.changes?.datasets.rows?.added ?? []));
      builds.push(`${entry?.build} of ${entry?.pages}`);
      counts.push(entry?.datasets.rows?.counts);
      next = entry?.next;
    }
    assert.equal(added, AMENDED.datasets.rows.added);
    assert.equal(corrected, AMENDED.datasets.rows.added);
    assert.equal(builds, ['1.0 of 3', '1.0 of 3', '1.0 of 3']);
    assert.equal(counts[2], { added: rows.length, removed: 0, changed: 0 });
    const beyond = await gateway.ask('/api/saga/history?build=1.0&page=4', { key: gateway.keys.pro });
    const [entry] = beyond.json<{ builds: LongEntry[] }>().builds;
    assert.equal([entry?.datasets, entry?.pages, entry?.next], [{}, 3, undefined]);
  },
);

const many = Array.from({ length: 12 }, (_, index) => ({
  id: `u${index}`,
  name: `U${index}`,
  stats: { atk: index },
}));
const changedStat = ({ id, name }: { id: string; name: string }, key: string) => ({
  id,
  name,
  fields: [`stats.${key}`],
  changes: [{ path: `/stats/${key}`, from: 0, to: 1 }],
});
const OF_MODEL = {
  characters: {
    added: [],
    removed: [],
    changed: [
      ...many.slice(0, 11).map((unit) => changedStat(unit, 'atk')),
      { ...changedStat({ id: 'u11', name: 'U11' }, 'hp') },
      { id: 'u0', name: 'U0', fields: ['title'], changes: [{ path: '/title', from: 'Qeen', to: 'Queen' }] },
    ],
  },
  datasets: { curves: { kind: 'added', added: ['1', '2'], removed: [], changed: [] } },
};

history(
  'has corrections of the model apart, one line for each attribute, and their values on request',
  async () => {
    const gateway = await startGateway({
      'saga/game.json': { title: 'Saga' },
      'saga/1.0/build.json': {
        released_at: '2026-01-01',
        amended: [{ at: '2026-01-02T00:00:00Z', reason: 'highest level', changes: 'amendments/1.0.1.json' }],
      },
      'saga/1.0/characters.json': many,
      'saga/1.0/pull_planner.json': { cost: 160 },
      'saga/amendments/1.0.1.json': OF_MODEL,
    });
    const read = async (query: string) => {
      const response = await gateway.ask(`/api/saga/history${query}`, { key: gateway.keys.pro });
      return response.json<{ builds: { amended: { changes: unknown; model: unknown }[] }[] }>().builds[0]
        ?.amended[0];
    };
    const model = [
      { collection: 'characters', attribute: 'stats.atk', kind: 'changed', records: 11 },
      { collection: 'characters', attribute: 'stats.hp', kind: 'changed', records: 1 },
      { collection: 'curves', kind: 'added', records: 2 },
    ];
    const { changes, model: lines } = (await read('')) ?? {};
    assert.equal(lines, model);
    assert.equal(changes, {
      characters: { added: [], removed: [], changed: OF_MODEL.characters.changed.slice(-1) },
      datasets: {},
    });
    assert.equal((await read('?amended=values'))?.changes, OF_MODEL);
    const one = await gateway.ask('/api/saga/history/u11');
    const { timeline } = one.json<{ timeline: { kind: string; changes: unknown }[] }>();
    assert.equal(timeline[1]?.changes, OF_MODEL.characters.changed[11]?.changes);
  },
);

const NEW_LIMITS = [
  'skills are part of this data from here on: their changes are not known',
  'characters are those of 2026-04-01: later changes are not known',
];

history(
  'summarises builds: buffs and nerfs, names in a language, missing builds, what is not held, and what some records lack',
  async () => {
    const skills = [{ id: 'hit', name: 'Hit' }];
    const unit = (id: string, atk: number, more: object = {}) => ({
      id,
      name: `Unit ${id}`,
      name_ja: `ユニット${id}`,
      stats: { atk },
      ...more,
      ...(id !== 'd' && { rarity: 5 }),
    });
    const gateway = await startGateway({
      'saga/game.json': { title: 'Saga', language: 'en', cadence_days: 42 },
      'saga/1.0/build.json': { released_at: '2025-10-01' },
      'saga/1.0/characters.json': [unit('a', 10)],
      'saga/1.0/pull_planner.json': { cost: 160 },
      'saga/1.1/build.json': { released_at: '2026-01-01' },
      // Names alone do not say what skills do.
      'saga/1.1/characters.json': [unit('a', 10, { skills }), unit('b', 20), unit('c', 30)],
      'saga/1.3/build.json': { released_at: '2026-05-01', as_of: { characters: '2026-04-01' } },
      'saga/1.3/characters.json': [
        unit('a', 9, { skills: [{ ...skills[0], effect: 'Hits' }] }),
        unit('b', 25),
        unit('c', 30, { name_ja: 'ユニットC' }),
        unit('d', 1),
      ],
    });
    const read = async (query: string) => {
      const response = await gateway.ask(`/api/saga/history?limit=1&${query}`, { key: gateway.keys.pro });
      return response.json<{ builds: Record<string, unknown>[] }>().builds;
    };
    const one = (id: string, more: object = {}) => ({
      count: 1,
      first: [{ id, name: `Unit ${id}`, ...more }],
    });
    const games = (await gateway.ask('/api/games')).json<{ games: Record<string, unknown>[] }>().games;
    assert.equal(games[0]?.gaps, { characters: { rarity: 1 } });
    assert.equal([games[0]?.age_days, games[0]?.behind_days], [31, 19]);
    const [{ limits, since, ...changes } = {}] = await read('view=summary');
    assert.equal([since, limits], ['1.1', NEW_LIMITS]);
    const fields = ['stats.atk'];
    const characters = {
      new: one('d'),
      buffs: one('b', { fields }),
      nerfs: one('a', { fields }),
      folded: { translations: 1 },
    };
    const head = { build: '1.3', released_at: '2026-05-01T00:00:00Z', previous: '1.1', note: null };
    assert.equal(changes, { ...head, characters, datasets: {} });
    // 1.1 is next to 1.0, however late.
    const [older = {}] = await read('view=summary&build=1.1');
    assert.equal([older.since, older.limits], [undefined, ['skills are not part of this data']]);
    const inJapanese = JSON.stringify(await read('view=summary&lang=ja&fields=rarity'));
    assert.match(inJapanese, '"new":{"count":1,"first":[{"id":"d","name":"ユニットd"}]}');
    assert.not.match(inJapanese, 'buffs');
    for (const fields of ['stats.akt', 'stats.atk, rarity', ''])
      assert.is((await gateway.ask(`/api/saga/history?view=summary&fields=${fields}`)).status, 400, fields);
    for (const [address, name] of [
      ['history?build=1.3&lang=ja', 'ユニットd'],
      ['diff?from=1.1&to=1.3&lang=ja', 'ユニットd'],
      ['history/c?lang=ja', 'ユニットC'],
    ]) {
      const { text, headers } = await gateway.ask(`/api/saga/${address}`, { key: gateway.keys.pro });
      assert.match(text, `"name":"${name}"`, address);
      assert.is(headers.get('content-language'), 'ja');
    }
  },
);

history.run();
