import { gzipSync } from 'node:zlib';
import type { Json } from '../../scripts/format/dist-format.ts';
import { type Files, gameFiles } from '../support/fixtures.ts';
import { HOSTILE_EXPRESSIONS } from '../support/hostile-expressions.ts';

/** What the file outside of all game folders contains. */
export const CANARY = 'zanaryword';

/** A folder of a game that a stranger has sent. */
export interface HostileFolder {
  files: Files;
  /** Symbolic links, by their path in the folder; `OUTSIDE` is the folder with the canary. */
  links?: Record<string, string>;
  /** Named pipes. */
  pipes?: string[];
  /** Files without content, by their length in bytes. */
  sparse?: Record<string, number>;
  /** Whether only a limit ends its compilation. */
  isEndless?: boolean;
}

/** Patterns for files that are outside, in every way to write them, and patterns that are costly to match. */
const PATTERNS = [
  ...[
    '../outside/*.json',
    '../../outside/*',
    '../../../outside/secret.json',
    'OUTSIDE/secret.json',
    'OUTSIDE/*',
    '**/../../../outside/*',
  ],
  ...[
    '{..,.}/{..,.}/../outside/*',
    '{1.0,../../outside}/**',
    '{../../outside/secret,rows}.json',
    '{,../../}outside/*.json',
    './../../outside/*',
  ],
  ...[
    '@(..)/@(..)/outside/*',
    '+(..)/+(..)/outside/*',
    '[.][.]/[.][.]/outside/*',
    '!(x)/../../outside/*',
    '?.(..)/*',
    '.*/.*/outside/*',
  ],
  ...[
    '..\\..\\outside\\*',
    '%2e%2e/%2e%2e/outside/*',
    '~/*',
    '/etc/passwd',
    'file:///etc/passwd',
    '/proc/self/environ',
    '/dev/zero',
    'a\0b',
  ],
  ...[
    '{a..z}{a..z}{a..z}{a..z}{a..z}{a..z}',
    '{1..999999999}',
    '{1..99999999..1}',
    '{a,b}'.repeat(60),
    `${'{a,'.repeat(500)}b${'}'.repeat(500)}`,
  ],
  ...[
    '*'.repeat(5000),
    '**/'.repeat(500),
    '+(+(+(+(+(a)))))b',
    `${'@(a|'.repeat(200)}b${')'.repeat(200)}`,
    '[',
    `${'?'.repeat(20_000)}`,
    '',
  ],
];
const EXPRESSIONS = [
  ...[
    '$eval("1")',
    "constructor.constructor('return process')()",
    "$lookup($, '__proto__')",
    '__proto__.constructor',
    "$pad('x', 1000000000)",
    '[1..1000000000]',
  ],
  ...[
    "'a'.constructor",
    '$string.constructor',
    '$$.constructor.prototype',
    "{'__proto__': {'x': 1}}",
    "$merge([{'__proto__': 1}])",
    '$read("/etc/passwd")',
    '$now()',
  ],
  ...[
    `${'('.repeat(20_000)}1${')'.repeat(20_000)}`,
    `${'['.repeat(20_000)}1${']'.repeat(20_000)}`,
    `1${'+1'.repeat(50_000)}`,
    `a${'.a'.repeat(50_000)}`,
    '`',
    '/',
    '/(/',
  ],
  ...[
    "$replace('aaaa', /a|$/, function($m) { $m })",
    "$formatNumber(1, '#'.repeat)",
    '$power(10, 1e9)',
    '$sift($, function($v) { true })',
    `"${'\\u0000'.repeat(1000)}"`,
  ],
];
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  '../../../outside/new',
  '..',
  '.',
  'a/b',
  'a\\b',
  'CON',
  'index',
  'x'.repeat(300),
  'a\nb',
  'ａ',
  '%2e%2e',
];
/** Makes files that are hard to read. */
const makeTexts = (): [file: string, text: string | Buffer][] => [
  ['deep.json', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ['deep-objects.json', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['proto.json', '[{"id":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}]'],
  [
    'numbers.json',
    `[{"id":"a","n":1e999,"m":-1e999,"o":${'9'.repeat(100_000)},"p":0.${'1'.repeat(100_000)},"q":1E-99999}]`,
  ],
  ['long.json', `[{"id":"${'x'.repeat(3_000_000)}","name":"${'y'.repeat(3_000_000)}"}]`],
  ['nul.json', '[{"id":"a\\u0000","name":"\\ud800","x":"\\uffff"}]'],
  ['cut.json', '[{"id":"a"'],
  ['utf16.json', Buffer.from('[{"id":"a"}]', 'utf16le')],
  ['bytes.json', Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc0, 0xaf])],
  [
    'aliases.yaml',
    `a0: &a0 [x]\n${Array.from({ length: 40 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at},*a${at}]`).join('\n')}`,
  ],
  [
    'tags.yaml',
    '- !!js/function "function(){}"\n- !!python/object/apply:os.system ["id"]\n- !<tag:yaml.org,2002:binary> x',
  ],
  ['merge.yaml', `- &a {id: a}\n- <<: *a\n  __proto__: *a\n- ? {a: b}\n  : c`],
  ['deep.yaml', '['.repeat(20_000)],
  ['quotes.csv', `id,name\n"${'a,'.repeat(500_000)}`],
  ['columns.csv', `${'a,'.repeat(50_000)}id\n1`],
  ['header.csv', '__proto__,id,id\n1,2,3'],
  ['lines.jsonl', `${'{"id":"a"}\n'.repeat(1000)}{`],
  ['zeros.json.gz', Buffer.concat(Array<Buffer>(100).fill(gzipSync(Buffer.alloc(20_000_000))))],
  ['notgzip.json.gz', 'not gzip'],
];
const IDS = [
  '__proto__',
  '../../../outside/new',
  '',
  ' ',
  '\u0000',
  '\ud800',
  '.',
  '..',
  'a/b',
  'x'.repeat(100_000),
  '%2e',
  '🂡',
  '\u202e',
  'a\r\nb',
];

/** All folders, by the slug of their games. */
export function hostileFolders(outside: string): Map<string, HostileFolder> {
  const folders: HostileFolder[] = [
    ...PATTERNS.map((pattern) => table(pattern.replace('OUTSIDE', outside))),
    ...EXPRESSIONS.map((entry) => table('rows.json', entry)),
    ...HOSTILE_EXPRESSIONS.map(([, entry]) => ({ ...table('rows.json', entry), isEndless: true })),
    ...makeTexts().map(([file, text]) => table(file, '$', { [`1.0/${file}`]: text })),
    ...NAMES.map((name) => table('rows.json', '$', {}, name)),
    ...NAMES.slice(0, 3).map((name) => ({ files: gameFiles({ [`1.0/${name}.json`]: [{ id: 'a' }] }) })),
    { files: gameFiles({ '1.0/characters.json': IDS.map((id) => ({ id, name: id })) }) },
    { files: gameFiles({ '1.0/characters.json': { __proto__: null, length: 1e9 } as never }) },
    { files: gameFiles({ 'game.json': { title: 'x'.repeat(1_000_000), extra: { __proto__: 1 } } as never }) },
    { files: gameFiles({ 'game.json': '{"title":"a","title":"b","__proto__":{"tables":{}}}' }) },
    { files: gameFiles({ '1.0/build.json': { released_at: '+275760-09-13', note: '\u0000' } }) },
    { files: gameFiles({ 'schema.json': { $ref: `file://${outside}/secret.json` } as never }) },
    {
      files: gameFiles({ '1.0/characters.json': undefined }),
      links: { '1.0/characters.json': 'OUTSIDE/secret.json' },
    },
    { files: gameFiles({ 'game.json': undefined }), links: { 'game.json': 'OUTSIDE/secret.json' } },
    { ...table('**/*.json'), links: { '1.0/more': 'OUTSIDE', '1.0/loop': '.', '1.0/root': '/' } },
    { ...table('rows.json', '$', { '1.0/rows.json': undefined }), links: { '1.0/rows.json': '/dev/zero' } },
    { ...table('rows.json', '$', { '1.0/rows.json': undefined }), pipes: ['1.0/rows.json'] },
    { ...table('rows.json', '$', { '1.0/rows.json': undefined }), sparse: { '1.0/rows.json': 6e9 } },
    { files: gameFiles(), links: { '2.0': 'OUTSIDE' } },
  ];
  return new Map(folders.map((folder, index) => [`evil-${index}`, folder]));
}

/** A game with one table and one dataset of it. */
function table(pattern: string, entry = '$', files: Files = {}, dataset = 'list'): HostileFolder {
  const datasets: Record<string, Json> = Object.fromEntries([[dataset, { from: 'rows', entry }]]);
  const game = { title: 'Evil', tables: { rows: pattern }, datasets };
  return { files: gameFiles({ 'game.json': game, '1.0/rows.json': [{ id: 'a' }], ...files }) };
}
