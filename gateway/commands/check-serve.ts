import { existsSync } from 'node:fs';
import { CommandError } from '../../scripts/system.ts';
import { openDist } from '../data/follow-dist.ts';
import type { WrittenLog } from '../http/log.ts';
import type { readPeople } from '../serve.ts';
import { isPostgres, nameStore, openStore } from '../store/open.ts';
import type { ServeSettings } from './settings.ts';
import { print } from './store.ts';

const SILENT: WrittenLog = { info() {}, error() {}, access() {}, flush() {}, dropped: 0 };

/** `gateway serve --check`: reads the settings, opens dist and the store, and prints a line for each. @throws CommandError when one fails */
export async function checkServe(settings: ServeSettings, read: typeof readPeople): Promise<void> {
  const results = [
    await check('settings', async () => {
      await read(settings, SILENT);
      return `a gateway for ${settings.publicUrl ?? `${settings.host}:${settings.port}`}`;
    }),
    await check('dist', () => checkDist(settings)),
    await check('store', () => checkStore(settings)),
  ];
  if (results.includes(false)) throw new CommandError('the gateway cannot run with these settings');
}

async function check(name: string, work: () => Promise<string>): Promise<boolean> {
  try {
    print(`ok     ${name}: ${await work()}`);
    return true;
  } catch (error) {
    print(`error  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function checkDist(settings: ServeSettings): Promise<string> {
  const follower = await openDist(settings.dist, { now: Date.now, log: SILENT, cache: settings.cache });
  follower.close();
  const { games } = follower.catalog.viewAt(Date.now(), 'pro');
  return `${settings.dist} has ${games.size} ${games.size === 1 ? 'game' : 'games'}`;
}

async function checkStore({ store: address }: ServeSettings): Promise<string> {
  if (!isPostgres(address) && !existsSync(address))
    return `${nameStore(address)} does not exist, and will be made`;
  await (await openStore(address)).close();
  return `${nameStore(address)} responds`;
}
