import { buildGames } from '../support/dist-fixture.ts';
import type { Files } from '../support/fixtures.ts';
import { type FaultCampaign, noFigures } from './figures.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { type Outcome, send, Traffic } from '../campaigns/traffic.ts';
import { readBack } from './read-back.ts';

const STATE = /state-\d+\b/g;
const PATHS = [
  '/api/games',
  '/api/saga/characters?limit=40',
  '/api/saga/characters/u7',
  '/api/saga/compare?ids=u1,u2',
  '/api/saga/facets',
  '/api/saga/pull_planner',
  '/api/saga/history',
  '/api/saga/snapshot/latest',
  '/api/saga/diff?from=1.0&to=1.1',
];

/** A game in which every part has the name of its state. */
function filesOf(state: string): Files {
  const characters = (build: string) =>
    Array.from({ length: 60 }, (_, id) => ({ id: `u${id}`, name: `Unit ${id}`, title: `${state} ${build}` }));
  return {
    'saga/game.json': { title: `Saga ${state}` },
    'saga/1.0/build.json': { released_at: '2026-01-01', note: state },
    'saga/1.0/characters.json': characters('1.0'),
    'saga/1.0/pull_planner.json': { state },
    'saga/1.1/build.json': {
      released_at: '2026-01-02',
      note: state,
      overrides: [{ check: 'values-changed', reason: 'Every title has the name of its build.' }],
    },
    'saga/1.1/characters.json': characters('1.1'),
  };
}

/** New states of dist/ are published while clients read everything; no response mixes two states. */
export const campaign: FaultCampaign = {
  name: 'swaps under load',
  about: 'dist/ is replaced repeatedly under load: every response is complete and from one state',
  rounds: { short: 10, full: 200 },
  needs: [],
  async run({ isOver, random, report }) {
    const fleet = await Fleet.open({ files: filesOf('state-0'), count: 1, hasFront: false });
    const figures = noFigures();
    try {
      const [key] = await fleet.issueKeys('pro', ['ada@example.org']);
      const ask = () => send(fleet.address(0) + PATHS[Math.floor(random() * PATHS.length)], key);
      const traffic = new Traffic(8, ask, (outcome) => {
        const fault = findFault(outcome);
        if (!fault) return;
        figures[fault]++;
        report(`${outcome.status} ${fault}: ${outcome.text.slice(0, 200)}`);
      });
      for (let round = 1; !isOver(); round++) await buildGames(filesOf(`state-${round}`), fleet.dist);
      await traffic.stop();
      figures.tried = traffic.sent;
      await readBack(fleet, { report }, figures);
    } finally {
      await fleet.close();
    }
    return figures;
  },
};

function findFault({ status, text }: Outcome): 'lost' | 'torn' | 'wrong' | undefined {
  if (status !== 200) return 'lost';
  try {
    JSON.parse(text);
  } catch {
    return 'torn';
  }
  return new Set(text.match(STATE)).size > 1 ? 'wrong' : undefined;
}
