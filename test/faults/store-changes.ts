import path from 'node:path';
import { openStore } from '../../gateway/store/open-store.ts';
import { type Change, type Pattern, printedBy } from './change.ts';

/** Whom everything in the store is about. */
export const ADA = 'ada@example.org';
/** A folder with the same content as the store, of a version before 0.2. */
export const OLD = 'old';
const STORE = ['--store', 'store'];
const NEW_STORE = ['--store', 'new'];
const SECRET_KEYS = { GATEWAY_SECRET_KEYS: Buffer.alloc(32, 1).toString('base64') };

/** What the store of `storeChanges` has beforehand. */
export interface Prepared {
  /** The prefix of a key. */
  key: string;
  /** The prefix of a link. */
  link: string;
  /** The id of a game request. */
  request: string;
}

/** The commands that change a store: those on the folder `store`, and those that make another one. */
export function storeChanges(prepared: Prepared): Change[] {
  return [
    ...keyChanges(prepared),
    ...alertChanges(),
    ...listChanges(prepared),
    {
      name: 'gateway',
      args: ['store', 'backup', 'backups/today', ...STORE],
      isDone: printedBy('gateway', ['store', 'verify', 'backups/today'], /^damaged +0$/m),
    },
    {
      name: 'gateway',
      args: ['store', 'init', ...NEW_STORE],
      isDone: printedBy('gateway', ['store', 'verify', ...NEW_STORE], /^damaged +0$/m),
    },
    copy(['restore', 'backup', ...NEW_STORE], 'new'),
    copy(['migrate', '--from', 'store', '--to', 'new'], 'new'),
    copy(['migrate', '--from', 'store', '--to', 'lmdb:new'], 'new'),
    // What is taken over from a version before 0.2 stays whole.
    { ...copy([], OLD), args: ['keys', 'list', '--store', OLD] },
    copy(['init', '--store', OLD], OLD),
  ];
}

/** A command after which a folder has the keys of the store. */
function copy(words: readonly string[], folder: string): Change {
  const isDone = printedBy('gateway', ['keys', 'list', '--store', folder], new RegExp(ADA));
  return { name: 'gateway', args: ['store', ...words], isDone };
}

/** A command on the store, which another command reads back with `--json`. */
function change(words: readonly string[], reading: readonly string[], pattern: Pattern): Change {
  const isDone = printedBy('gateway', [...reading, '--json', ...STORE], pattern);
  return { name: 'gateway', args: [...words, ...STORE], isDone };
}

function keyChanges({ key, link }: Prepared): Change[] {
  const showKey = ['keys', 'show', key];
  const keyIn = (stdout: string) => new RegExp(/gdr_[a-z2-7]{8}/.exec(stdout)?.[0] ?? '$^');
  const linkIn = (stdout: string) => new RegExp(/gdt_[a-z2-7]{8}/.exec(stdout)?.[0] ?? '$^');
  return [
    change(['keys', 'issue', 'bob@example.org'], ['keys', 'list'], keyIn),
    change(['keys', 'set', key, '--name', 'mine'], showKey, /"name":"mine"/),
    change(['keys', 'rotate', key], ['keys', 'list'], keyIn),
    change(['keys', 'revoke', key], showKey, /"revoked_at":"/),
    change(['accounts', 'grant', ADA, 'free'], ['accounts', 'show', ADA], /"pro_until":"2030/),
    change(['accounts', 'delete', ADA], ['keys', 'list'], /^(?![\s\S]*ada@)/),
    change(['links', 'make', ADA, '/api/alpha/facets', '--dist', 'none'], ['links', 'list', ADA], linkIn),
    change(['links', 'revoke', link], ['links', 'list', ADA], /^\[\]$/m),
  ];
}

function alertChanges(): Change[] {
  const show = ['alerts', 'show', ADA];
  const hook = `https://discord.com/api/webhooks/123456789012345678/${'x'.repeat(68)}`;
  const slack = 'https://hooks.slack.com/services/T00000000/B00000000/xxxxxxxxxxxxxxxxxxxxxxxx';
  return [
    change(['follows', 'add', ADA, 'all_games'], ['follows', 'list', ADA], /all_games/),
    change(['follows', 'remove', ADA, 'alpha'], ['follows', 'list', ADA], /^(?![\s\S]*alpha)/),
    change(['alerts', 'mail', ADA, 'on'], show, /"mail":"on"/),
    change(['alerts', 'webhook', ADA, 'https://hooks.example.org/y'], show, /"webhook":"\S+\/y"/),
    change(['alerts', 'feed', ADA], show, /"feed":"on"/),
    change(['alerts', 'discord', ADA, hook], show, /"discord":\{/),
    change(['alerts', 'slack', ADA, slack], show, /"slack":\{/),
    { name: 'gateway', args: ['alerts', 'test', ADA, ...STORE], isDone: hasDelivery },
    {
      name: 'gateway',
      args: ['alerts', 'encrypt', ...STORE],
      env: SECRET_KEYS,
      isDone: printedBy(
        'gateway',
        ['alerts', 'encrypt', '--json', ...STORE],
        /"changed":0,"current":1,/,
        SECRET_KEYS,
      ),
    },
  ];
}

/** Whether a test waits for the gateway that sends it. */
async function hasDelivery(cwd: string): Promise<boolean> {
  const store = await openStore(path.join(cwd, 'store'));
  try {
    return (await store.list('webhook-delivery:', { after: '', limit: 1 })).length === 1;
  } finally {
    await store.close();
  }
}

function listChanges({ request }: Prepared): Change[] {
  const members = ['members', 'list'];
  const requests = ['requests', 'list'];
  return [
    change(['members', 'import', '../others.csv', '--platform', 'patreon'], members, /patreon:2/),
    change(['members', 'revoke', 'patreon:1'], members, /"revoked"/),
    change(['requests', 'add', ADA, 'Psi', 'https://psi.example'], requests, /Psi/),
    change(['requests', 'accept', request], requests, /"accepted"/),
    change(['requests', 'decline', request], requests, /^\[\]$/m),
    change(['requests', 'done', request, '--game', 'alpha'], requests, /^\[\]$/m),
  ];
}
