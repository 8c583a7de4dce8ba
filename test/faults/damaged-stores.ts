import { cp, open, rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import type { Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send } from '../campaigns/traffic.ts';
import { startCommand } from '../support/command.ts';
import { type FaultCampaign, type Figures, noFigures, readBack } from './figures.ts';

const ACCOUNTS = 60;
const PAGE = 4096;

/** A store folder is damaged at random. A gateway on it refuses to start with a message, or serves correctly. */
export const campaign: FaultCampaign = {
  name: 'damaged stores',
  about:
    'a store file is cut off, zeroed or altered: a gateway says so, or serves; it does not crash or refuse a known key',
  rounds: { short: 10, full: 100 },
  needs: [],
  async run(terms) {
    const fleet = await Fleet.open({ count: 0, hasFront: false });
    const figures = noFigures();
    try {
      const emails = Array.from({ length: ACCOUNTS }, (_, index) => `ada-${index}@example.org`);
      const keys = await fleet.issueKeys('pro', emails);
      while (!terms.isOver()) await damageOnce(fleet, keys, terms, figures);
      await readBack(fleet, terms, figures);
    } finally {
      await fleet.close();
    }
    return figures;
  },
};

async function damageOnce(
  fleet: Fleet,
  keys: readonly string[],
  terms: Terms,
  figures: Figures,
): Promise<void> {
  const store = path.join(fleet.root, 'damaged');
  await cp(fleet.store, store, { recursive: true });
  const what = await damage(path.join(store, 'store.sqlite'), terms.random);
  const args = ['serve', '--port', '0', '--dist', fleet.dist, '--store', store, '--access-log', 'off'];
  const gateway = startCommand('gateway', args);
  figures.tried++;
  try {
    const match = await gateway.printed(/"address":"(http:[^"]+)"/).catch(() => undefined);
    if (match) await checkKeys(match[1] as string, keys, what, terms, figures);
    else await checkEnd(await gateway.ended, what, terms, figures);
  } finally {
    gateway.child.kill('SIGKILL');
    await gateway.ended;
    await rm(store, { recursive: true });
  }
}

/** Damages a file in one of three ways. @returns what was done */
async function damage(file: string, random: () => number): Promise<string> {
  const { size } = await stat(file);
  const page = Math.floor((random() * size) / PAGE) * PAGE;
  const way = Math.floor(random() * 3);
  if (way === 0) {
    await truncate(file, page);
    return `cut off at ${page} of ${size} bytes`;
  }
  const handle = await open(file, 'r+');
  const length = way === 1 ? PAGE : 64;
  const bytes = way === 1 ? Buffer.alloc(length) : Buffer.from(Array.from({ length }, () => random() * 256));
  await handle.write(bytes, 0, length, page);
  await handle.close();
  return `${length} bytes ${way === 1 ? 'zeroed' : 'altered'} at ${page} of ${size}`;
}

async function checkKeys(
  address: string,
  keys: readonly string[],
  what: string,
  terms: Terms,
  figures: Figures,
) {
  for (const key of keys) {
    const { status, text } = await send(`${address}/api/games`, key);
    // A damaged record may be an error, but must not make a key unknown.
    if (status === 200 || status === 503) continue;
    figures[status === 0 ? 'lost' : 'wrong']++;
    terms.report(`${what}: ${status} ${text.slice(0, 200)}`);
    return;
  }
}

/** Checks that a gateway which did not start says why. */
async function checkEnd(
  {
    code,
    signal,
    stdout,
    stderr,
  }: { code: number | null; signal: string | null; stdout: string; stderr: string },
  what: string,
  { report }: Terms,
  figures: Figures,
): Promise<void> {
  if (signal === null && code !== 0 && (stdout + stderr).trim() !== '') return;
  figures.silent++;
  report(
    `${what}: ended with ${signal ?? code}, having written ${(stdout + stderr).slice(0, 200) || 'nothing'}`,
  );
}
