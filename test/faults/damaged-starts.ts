import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pick, type Terms } from '../campaigns/campaign.ts';
import { Fleet, GAME } from '../campaigns/fleet.ts';
import { send } from '../campaigns/traffic.ts';
import { startCommand } from '../support/command.ts';
import { checkEnd, damage } from './damaged-stores.ts';
import { type FaultCampaign, type Figures, noFigures } from './figures.ts';

const OTHER = Object.fromEntries(
  Object.entries(GAME).map(([file, content]) => [file.replace('saga', 'tale'), content]),
);
/** A build that changes nothing. */
const LATER = { 'saga/1.1/build.json': { released_at: '2026-02-01' } };

/** A file of dist/ is damaged before a gateway starts. */
export const campaign: FaultCampaign = {
  name: 'damaged starts',
  about:
    'a file of dist/ is damaged before a start: what is damaged gets 503, and no list of games lacks one',
  rounds: { short: 10, full: 100 },
  needs: [],
  async run(terms) {
    const fleet = await Fleet.open({ files: { ...GAME, ...OTHER, ...LATER }, count: 0, hasFront: false });
    const figures = noFigures();
    try {
      const [key = ''] = await fleet.issueKeys('pro', ['ada@example.org']);
      while (!terms.isOver()) await startDamaged(fleet, key, terms, figures);
    } finally {
      await fleet.close();
    }
    return figures;
  },
};

async function startDamaged(fleet: Fleet, key: string, terms: Terms, figures: Figures): Promise<void> {
  const dist = path.join(fleet.root, 'damaged');
  await cp(fleet.dist, dist, { recursive: true });
  // Those of `tale` stay whole, so that the gateway always has something to serve.
  const names = await readdir(path.join(dist, 'saga'));
  const file = path.join('saga', pick(names, terms.random));
  const what = `${file}: ${await damage(path.join(dist, file), terms.random)}`;
  const args = ['serve', '--port', '0', '--dist', dist, '--store', fleet.store, '--access-log', 'off'];
  const gateway = startCommand('gateway', args);
  figures.tried++;
  try {
    const match = await gateway.printed(/"address":"(http:[^"]+)"/).catch(() => undefined);
    if (match) await checkGames(match[1] as string, key, what, terms, figures);
    else await checkEnd(await gateway.ended, what, terms, figures);
  } finally {
    gateway.child.kill('SIGKILL');
    await gateway.ended;
    await rm(dist, { recursive: true });
  }
}

async function checkGames(address: string, key: string, what: string, { report }: Terms, figures: Figures) {
  const expected: Record<string, (status: number, text: string) => boolean> = {
    '/api/games': (status, text) => status === 503 || (/"saga"/.test(text) && /"tale"/.test(text)),
    '/api/saga/characters?limit=50': (status, text) => status === 503 || /"Unit 49"/.test(text),
    '/api/tale/characters?limit=50': (status, text) => status === 200 && /"Unit 49"/.test(text),
    '/readyz': (status) => status === 200,
  };
  for (const [target, isRight] of Object.entries(expected)) {
    const { status, text } = await send(address + target, key);
    if (isRight(status, text)) continue;
    figures[status === 0 ? 'lost' : 'wrong']++;
    report(`${what}: ${target} got ${status} ${text.slice(0, 200)}`);
  }
}
