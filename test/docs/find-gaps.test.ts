import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Facts, variablesIn } from '../support/docs/code-facts.ts';
import { findGaps } from '../support/docs/find-gaps.ts';
import { parsePage } from '../support/docs/markdown.ts';

const gaps = suite('the comparison of documents and code');

const FACTS: Facts = {
  commands: new Map([
    ['gateway serve', [{ flag: '--port', variable: 'GATEWAY_PORT' }]],
    [
      'gateway keys issue',
      [{ flag: '--tier' }, { flag: '--store', variable: 'GATEWAY_STORE' }, { flag: '--json' }],
    ],
    ['gateway keys list', [{ flag: '--store', variable: 'GATEWAY_STORE' }, { flag: '--json' }]],
    ['gamedata build', [{ flag: '--out' }, { flag: '--jobs' }]],
  ]),
  variables: new Set(['GATEWAY_PORT', 'GATEWAY_STORE', 'SMTP_URL']),
  problems: new Map([['pro-only', 403]]),
  checks: new Set(['slug', 'roster-loss']),
  addresses: new Set([
    '/api/games',
    '/api/{game}/characters/{id}',
    '/api/{game}/{dataset}',
    '/account/leave',
  ]),
  tableOptions: new Set(['key']),
  extensions: new Set(['.json', '.csv']),
  functions: new Set(['first']),
  expressionNames: new Set(['first', 'lookup', 'key']),
  scripts: new Set(['test:all']),
  scriptFlags: new Set(['--quick']),
  paths: new Set(['scripts/check', 'scripts/check/check.ts']),
  constants: new Set(['STEP_CHECKS']),
};

const PAGE = `# Page

## gateway serve

| option | environment variable | what it sets |
|---|---|---|
| \`--port\` | \`GATEWAY_PORT\` | the port, \`0\` for any |

| environment variable | what it sets |
|---|---|
| \`SMTP_URL\` | the mail server |
| \`GATEWAY_STORE\` | the store |

## Commands

| command | option | what it sets |
|---|---|---|
| \`gateway keys issue <email>\` | \`--tier\` | the tier |
| \`gateway keys list\` | | |
| \`gamedata build [slug...]\` | \`--out\` | the folder |
| | \`--jobs\` | how many |

| option | default |
|---|---|
| \`key\` | none |

| extension | what it is |
|---|---|
| \`.json\` | any value |
| \`.csv\` | rows |

| code | status | what it means |
|---|---|---|
| \`pro-only\` | 403 | a free key |

| check | what holds |
|---|---|
| \`slug\` | a name |

| gate | what holds |
|---|---|
| \`roster-loss\` | a roster |

| function | for |
|---|---|
| \`$first(list)\` | the first |

| address | what it is |
|---|---|
| \`/api/games\` | games |
| \`/api/{game}/characters/{id}\`, \`/api/{game}/{dataset}\` | a record, a dataset |
| \`/account/…\` | forms |

Run \`gateway serve --port 0\`, \`gateway keys --json\`, \`gamedata build my-game --jobs 2\`, \`npm run test:all\` or
\`--quick\`. Read \`$lookup($first(x), $key)\`, \`/api/genshin-impact/characters/1?limit=2\`, \`/api/\`,
\`/api/arknights/pull_planner\`, \`STEP_CHECKS\`, \`GATEWAY_PORT=0\`, \`MY_KEY\`, \`scripts/check/\` and \`scripts/check/check.ts\`.

\`\`\`sh
curl --invented /api/invented $MY_KEY
\`\`\`
`;

function findIn(text: string, facts = FACTS): string[] {
  return findGaps([parsePage('a.md', text)], facts);
}

gaps('finds none if the documents name exactly what exists', () => {
  assert.equal(findIn(PAGE), []);
});

const ROWS: [row: string, gap: string][] = [
  [
    '| `--port` | `GATEWAY_PORT` | the port, `0` for any |\n',
    'no page documents the option gateway serve --port (GATEWAY_PORT)',
  ],
  ['| `SMTP_URL` | the mail server |\n', 'no page documents the environment variable SMTP_URL'],
  ['| | `--jobs` | how many |\n', 'no page documents the option gamedata build --jobs'],
  ['| `gateway keys list` | | |\n', 'no page documents the command gateway keys list'],
  ['| `key` | none |\n', 'no page documents the option of a table key'],
  ['| `.csv` | rows |\n', 'no page documents the extension .csv'],
  ['| `pro-only` | 403 | a free key |\n', 'no page documents the error code pro-only'],
  ['| `slug` | a name |\n', 'no page documents the check slug'],
  ['| `roster-loss` | a roster |\n', 'no page documents the check roster-loss'],
  ['| `$first(list)` | the first |\n', 'no page documents the function first'],
  ['| `/api/games` | games |\n', 'no page documents the address /api/games'],
  ['| `/account/…` | forms |\n', 'no page documents the address /account/leave'],
];

for (const [row, gap] of ROWS) {
  gaps(`reports what is missing: ${gap}`, () => {
    assert.ok(PAGE.includes(row));
    assert.ok(findIn(PAGE.replace(row, '')).includes(gap));
  });
}

const CHANGES: [from: string, to: string, gap: string][] = [
  ['| | `--jobs` |', '| | `--job` |', 'there is no option gamedata build --job'],
  [
    '`GATEWAY_PORT` | the port',
    '`GATEWAY_PORTS` | the port',
    'there is no option gateway serve --port (GATEWAY_PORTS)',
  ],
  ['| `SMTP_URL` |', '| `SMTP_URL`, `SMTP_USER` |', 'there is no environment variable SMTP_USER'],
  ['`gateway keys list`', '`gateway keys lists`', 'there is no command gateway keys lists'],
  ['| `key` |', '| `key`, `keys` |', 'there is no option of a table keys'],
  ['| `.csv` |', '| `.csv`, `.xml` |', 'there is no extension .xml'],
  ['| `pro-only` |', '| `pro-only`, `free-only` |', 'there is no error code free-only'],
  ['| 403 |', '| 401 |', 'the status of pro-only is not 401'],
  ['| `slug` |', '| `slug`, `slugs` |', 'there is no check slugs'],
  ['| `$first(list)` |', '| `$first(list)`, `$second(list)` |', 'there is no function second'],
  ['| `/api/games` |', '| `/api/games`, `/api/game` |', 'there is no address /api/game'],
  ['`/account/…` |', '`/account/…`, `/accounts/…` |', 'there is no address below /accounts/'],
  ['--port 0', '--ports 0', 'there is no option gateway serve --ports'],
  ['gateway keys --json', 'gateway keys issues', 'there is no command gateway keys issues'],
  ['`--quick`', '`--slow`', 'there is no option --slow'],
  ['npm run test:all', 'npm run tests', 'there is no script tests'],
  ['$lookup(', '$look(', 'there is no function $look'],
  [
    '`/api/genshin-impact/characters/1?limit=2`',
    '`/api/genshin-impact/charakters/1`',
    'there is no address /api/genshin-impact/charakters/1',
  ],
  [
    '`/api/arknights/pull_planner`',
    '`/api/arknights/histories`',
    'there is no address /api/arknights/histories',
  ],
  ['`STEP_CHECKS`', '`ALL_CHECKS`', 'there is no environment variable or constant ALL_CHECKS'],
  ['`scripts/check/check.ts`', '`scripts/check/checks.ts`', 'there is no path scripts/check/checks.ts'],
];

for (const [from, to, gap] of CHANGES) {
  gaps(`reports a name that does not exist: ${gap}`, () => {
    assert.ok(PAGE.includes(from));
    assert.ok(findIn(PAGE.replace(from, to)).some((found) => found.endsWith(gap)));
  });
}

gaps('reports a command without an option that the pages say all commands have', () => {
  const commands = new Map([...FACTS.commands, ['gateway keys list', [{ flag: '--store' }]]]);
  assert.equal(findIn(PAGE, { ...FACTS, commands }), [
    'gateway keys list has no option --json, although the pages say that all commands have it',
  ]);
});

gaps('finds the environment variables that code reads, not those that it writes', () => {
  const code = `
    const { SMTP_URL, MAIL_FROM: from = '' } = process.env;
    function read({ KOFI_TIERS }: Environment, { env }: Settings) { return env.NODE_ENV ?? process.env.AWS_REGION; }
    process.env.WRITTEN_HERE = 'x';
    const other = limits.MAX_BATCH;`;
  assert.equal(variablesIn('a.ts', code).sort(), [
    'AWS_REGION',
    'KOFI_TIERS',
    'MAIL_FROM',
    'NODE_ENV',
    'SMTP_URL',
  ]);
});

gaps.run();
