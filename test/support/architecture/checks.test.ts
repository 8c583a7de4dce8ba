import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHECKS, type Permissions } from './checks.ts';
import { parseCode } from './code.ts';

const LINES_58 = '  x();\n'.repeat(58);

/** A project that keeps every rule. */
const FILES = {
  'package.json': '{ "dependencies": { "lmdb": "1" } }',
  'docs/ARCHITECTURE.md':
    '# Map\n\n```\nscripts/\n  core/\n    format/   Defines.\n    read/     Reads.\n    compile/  Compiles.\n```\n\n' +
    '```\ngateway/\n  core/\n    server.ts   Serves.\n    store/      Keeps records.jsonl.\n' +
    '  parts/\n    people/     Knows people.\n      mail/     Mails.\n```\n',
  'scripts/core/format/README.md': '# scripts/core/format\n\nDefines.\n',
  'scripts/core/format/types.ts': 'export type Json = unknown;',
  'scripts/core/read/README.md': '# scripts/core/read\n\nReads.\n\nAnd this page says how. It is long.\n',
  'scripts/core/read/read.ts': "import fs from 'node:fs'; import type { Json } from '../format/types.ts';",
  'scripts/core/compile/README.md': '# scripts/core/compile\n\nCompiles.\n',
  'scripts/core/compile/compile.ts': "import type {} from '../read/read.ts'; import path from 'node:path';",
  'scripts/core/compile/evaluate.ts': `export function evaluate() {\n${LINES_58}}`,
  'gateway/core/server.ts':
    "import { open } from './store/store.ts'; import '../../scripts/core/format/types.ts';",
  'gateway/core/store/README.md': '# gateway/core/store\n\nKeeps records.jsonl.\n',
  'gateway/core/store/store.ts': "import { open } from 'lmdb';",
  'gateway/parts/people/README.md': '# gateway/parts/people\n\nKnows people.\n',
  'gateway/parts/people/people.ts': "export * from './mail/mail.ts';",
  'gateway/parts/people/mail/README.md': '# gateway/parts/people/mail\n\nMails.\n',
  'gateway/parts/people/mail/mail.ts': "const later = () => import('../../../core/store/store.ts');",
};

const PERMISSIONS: Permissions = {
  'scripts/core/format': '',
  'scripts/core/read': 'scripts/core/format',
  'scripts/core/compile': 'scripts/core/read',
  'gateway/core/store': '',
  'gateway/core/server.ts': 'gateway/core/store scripts/core/format',
};

/** What the checks find, by name, after some files (undefined: removed) and permissions are replaced. */
function findWith(
  files: Record<string, string | undefined>,
  permissions: Permissions = {},
): Record<string, string[]> {
  const entries = Object.entries({ ...FILES, ...files });
  const present = entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const code = parseCode(Object.fromEntries(present));
  const found = CHECKS.map(
    ({ name, find }) => [name, find(code, { ...PERMISSIONS, ...permissions })] as const,
  );
  return Object.fromEntries(found.filter(([, texts]) => texts.length > 0));
}

const test = suite('checks of the architecture');

test('a project that keeps every rule passes', () => {
  assert.equal(findWith({}), {});
});

test('an import that the table lacks fails, in every form of import', () => {
  const found = [
    'gateway/core/store/store.ts:2 imports gateway/parts/people/mail, which the table lacks for gateway/core/store',
  ];
  for (const text of [
    "import { mail } from '../../parts/people/mail/mail.ts';",
    "import type { Mail } from '../../parts/people/mail/mail.ts';",
    "import '../../parts/people/mail/mail.ts';",
    "export { mail } from '../../parts/people/mail/mail.ts';",
    "export type * from '../../parts/people/mail/mail.ts';",
    "type Mail = import('../../parts/people/mail/mail.ts').Mail;",
    "const mail = async () => await import('../../parts/people/mail/mail.ts');",
    "start(new URL('../../parts/people/mail/mail.js', import.meta.url));",
    `start(new URL(\`../../parts/people/mail/mail\${extension}\`, import.meta.url));`,
  ]) {
    const { imports } = findWith({ 'gateway/core/store/store.ts': `import 'lmdb';\n${text}` });
    assert.equal(imports, found, text);
  }
});

test('text that only looks like an import passes', () => {
  const text = `import 'lmdb';\n// import '../../parts/people/mail/mail.ts'\nconst a = "import '../../parts/people/mail/mail.ts'";`;
  assert.equal(findWith({ 'gateway/core/store/store.ts': text }), {});
});

test('a permission that nothing uses fails', () => {
  assert.equal(findWith({}, { 'scripts/core/compile': 'scripts/core/read scripts/core/format' }), {
    permissions: ['the table lists scripts/core/format for scripts/core/compile, which does not import it'],
  });
});

test('a room that is not in the table, and one that does not exist, fail', () => {
  assert.equal(findWith({}, { 'scripts/core/check': '' }).rooms, [
    'the table has scripts/core/check, which does not exist',
  ]);
  assert.equal(findWith({ 'gateway/core/http/problem.ts': '' }).rooms, [
    'gateway/core/http is not in the table',
  ]);
});

test('a room above one that it imports fails', () => {
  const { 'gateway/core/store': _, ...others } = PERMISSIONS;
  const code = parseCode(FILES);
  const check = CHECKS.find(({ name }) => name === 'order');
  assert.equal(check?.find(code, { ...others, 'gateway/core/store': '' }), [
    'the table lists gateway/core/server.ts above gateway/core/store, which it imports',
  ]);
});

test('a cycle of rooms fails, also without a cycle of files', () => {
  const cycle = findWith(
    { 'scripts/core/read/other.ts': "import type { A } from '../compile/evaluate.ts';" },
    { 'scripts/core/read': 'scripts/core/format scripts/core/compile' },
  );
  assert.equal(cycle['room-cycles'], ['scripts/core/read → scripts/core/compile → scripts/core/read']);
  assert.is(cycle['file-cycles'], undefined);
});

test('a cycle of files in a room fails, also by type imports alone', () => {
  assert.equal(
    findWith({
      'gateway/core/store/a.ts': "import type { B } from './b.ts';",
      'gateway/core/store/b.ts': "import type { C } from './c.ts';",
      'gateway/core/store/c.ts': "export type { A } from './a.ts';",
      'gateway/core/store/d.ts': "import './a.ts';",
    }),
    {
      'file-cycles': [
        'gateway/core/store/a.ts → gateway/core/store/b.ts → gateway/core/store/c.ts → gateway/core/store/a.ts',
      ],
    },
  );
});

test('a cycle of a file and the worker that it starts fails', () => {
  assert.equal(
    findWith({
      'gateway/core/store/a.ts': "start(new URL('./b.js', import.meta.url));",
      'gateway/core/store/b.ts': "import type { A } from './a.ts';",
    }),
    { 'file-cycles': ['gateway/core/store/a.ts → gateway/core/store/b.ts → gateway/core/store/a.ts'] },
  );
});

test('an import against the direction fails, whatever the table says', () => {
  assert.equal(
    findWith(
      {
        'scripts/core/compile/compile.ts':
          "import '../read/read.ts'; import '../../../gateway/core/store/store.ts';",
      },
      { 'scripts/core/compile': 'scripts/core/read gateway/core/store' },
    )['compiler-alone'],
    ['scripts/core/compile/compile.ts:1 imports gateway/core/store/store.ts'],
  );
  assert.equal(
    findWith(
      { 'gateway/core/store/x.ts': "import '../../../scripts/core/read/read.ts';" },
      { 'gateway/core/store': 'scripts/core/read' },
    )['shared-code'],
    ['gateway/core/store/x.ts:1 imports scripts/core/read/read.ts'],
  );
  assert.equal(
    findWith(
      { 'gateway/core/store/x.ts': "\nimport type { Mail } from '../../parts/people/mail/mail.ts';" },
      { 'gateway/core/store': 'gateway/parts/people/mail' },
    ).parts,
    ['gateway/core/store/x.ts:2 imports gateway/parts/people/mail/mail.ts'],
  );
});

test('an import of another part fails, and one of the core passes', () => {
  const files = {
    'gateway/parts/site/README.md': '# gateway/parts/site\n\nShows.\n',
    'gateway/parts/site/site.ts': "import '../../core/store/store.ts'; import '../people/people.ts';",
  };
  assert.equal(findWith(files).parts, [
    'gateway/parts/site/site.ts:1 imports gateway/parts/people/people.ts',
  ]);
});

test('a pure room that imports the disk, a worker or the watchdog fails', () => {
  for (const [text, target] of [
    ["import { readFileSync } from 'node:fs';", 'node:fs'],
    ["import type { Stats } from 'node:fs/promises';", 'node:fs/promises'],
    ["import { randomBytes } from 'node:crypto';", 'node:crypto'],
    ["import Tinypool from 'tinypool';", 'tinypool'],
    ["const lmdb = () => import('lmdb');", 'lmdb'],
    ["import type { Steps } from '../watchdog/step-file.ts';", 'scripts/core/watchdog/step-file.ts'],
  ] as const) {
    const found = findWith({ 'scripts/core/compile/evaluate.ts': text });
    assert.equal(found['pure-rooms'], [`scripts/core/compile/evaluate.ts:1 imports ${target}`], text);
  }
});

test('a pure room that loads a file which reads the disk fails', () => {
  const { 'pure-rooms': found } = findWith({
    'scripts/core/compile/compile.ts': "import type {} from '../read/read.ts'; import '../format/names.ts';",
    'scripts/core/format/names.ts': "export * from './list.ts';",
    'scripts/core/format/list.ts': "import { readdirSync } from 'node:fs';",
  });
  assert.equal(found, [
    'scripts/core/format/list.ts:1 imports node:fs (scripts/core/compile/compile.ts → scripts/core/format/names.ts → scripts/core/format/list.ts)',
  ]);
});

test('a pure room that uses the clock, random numbers or the process fails', () => {
  for (const [text, name] of [
    ['const now = Date.now();', 'Date.now'],
    ['const now = new Date();', 'Date()'],
    ['const now = Date();', 'Date()'],
    ['const dice = Math.random() as number;', 'Math.random'],
    ['if (process.env.FAST) run();', 'process'],
    ['const { pid } = process;', 'process'],
    ['setTimeout(run, 1);', 'setTimeout'],
    ['const id = crypto.randomUUID();', 'crypto'],
  ] as const) {
    const found = findWith({ 'scripts/core/compile/evaluate.ts': text });
    assert.equal(found, { 'pure-rooms': [`scripts/core/compile/evaluate.ts:1 uses ${name}`] }, text);
  }
});

test('names that only look like the clock or the process pass in a pure room', () => {
  const text = `const start = new Date(0); const later = new Date(at).getTime() + Date.UTC(2020, 1) + Date.parse('');
    const task = { process: 1, run: { console: 2 } }; task.process; type Process = typeof import('node:process').pid;
    interface Task { process: Worker }`;
  const found = findWith({ 'scripts/core/compile/evaluate.ts': text });
  assert.equal(found['pure-rooms'], ['scripts/core/compile/evaluate.ts:2 imports node:process']);
});

test('a room other than commands that prints or ends the process fails', () => {
  for (const [text, name] of [
    ["console.log('done');", 'console.log'],
    ["process.stderr.write('done');", 'process.stderr'],
    ['process.exitCode = 1;', 'process.exitCode'],
    ['if (broken) process.exit();', 'process.exit'],
  ] as const) {
    const found = { printing: [`scripts/core/read/other.ts:1 uses ${name}`] };
    assert.equal(findWith({ 'scripts/core/read/other.ts': text }), found);
    assert.is(findWith({ 'gateway/core/commands/serve.ts': text }).printing, undefined);
  }
});

test('a room other than wire/ that writes to a socket fails', () => {
  for (const text of [
    'socket.write(bytes);',
    'response.socket?.write(bytes);',
    'this.#request.socket.write(bytes)',
  ]) {
    assert.equal(findWith({ 'gateway/core/store/x.ts': text }), {
      sockets: ['gateway/core/store/x.ts:1 uses socket.write'],
    });
    assert.is(findWith({ 'gateway/core/wire/x.ts': text }).sockets, undefined);
  }
});

test('a request that is counted by another name than those of `counterNameOf` fails', () => {
  const file = 'gateway/core/server.ts';
  for (const [text, by] of [
    ['store.countRequest(account.id, LIMITS)', 'account.id'],
    ['services.store.readCounters("x " + id)', '"x " + id'],
    ['const name = id as CounterName;', 'id as CounterName'],
  ]) {
    const found = findWith({ [file]: `${FILES[file]} ${text}` })['counter-names'];
    assert.equal(found, [`${file}:1 counts by ${by}, expected counterNameOf(…)`]);
  }
  const rightly = 'await store.countRequest(counterNameOf(account), LIMITS); counters.count(id);';
  assert.is(findWith({ [file]: `${FILES[file]} ${rightly}` })['counter-names'], undefined);
});

test('more loose files than allowed fail', () => {
  const loose = { 'scripts/a.ts': '', 'scripts/b.ts': '', 'scripts/c.ts': '', 'scripts/core/d.ts': '' };
  assert.equal(findWith(loose)['loose-files'], [
    'scripts/ has 3 files beside its rooms, at most 2: scripts/a.ts, scripts/b.ts, scripts/c.ts',
    'scripts/core/ has 1 files beside its rooms, at most 0: scripts/core/d.ts',
  ]);
});

test('a room without its sentence fails', () => {
  for (const text of [
    undefined,
    'Keeps records.jsonl.\n',
    '# store\n\nKeeps records.jsonl.\n',
    '# gateway/core/store\n\nkeeps records.jsonl.\n',
    '# gateway/core/store\n\nKeeps records. And counters.\n',
    '# gateway/core/store\n\nKeeps records\nand counters.\n',
    '# gateway/core/store\n\nKeeps records.\nKeeps counters.\n',
  ]) {
    assert.equal(
      findWith({ 'gateway/core/store/README.md': text }),
      {
        headers: [
          'gateway/core/store/README.md does not begin with "# gateway/core/store", an empty line and a sentence',
        ],
      },
      text,
    );
  }
});

test('a map that lacks a room, lists one that does not exist, or has another sentence fails', () => {
  const map = FILES['docs/ARCHITECTURE.md'];
  for (const [changed, found] of [
    [map.replace('    read/     Reads.\n', ''), 'docs/ARCHITECTURE.md does not list scripts/core/read'],
    [map.replace('      mail/', '    mail/'), 'docs/ARCHITECTURE.md does not list gateway/parts/people/mail'],
    [
      map.replace('Compiles.', 'Checks.'),
      'docs/ARCHITECTURE.md says of scripts/core/compile "Checks."; its README.md says "Compiles."',
    ],
    [
      map.replace('    read/', '    write/    Writes.\n    read/'),
      'docs/ARCHITECTURE.md lists scripts/core/write, which does not exist',
    ],
  ] as const) {
    assert.is(findWith({ 'docs/ARCHITECTURE.md': changed }).map?.[0], found);
  }
});

test('a function of 61 lines fails, whatever kind it is', () => {
  const body = `{\n${LINES_58}\n}`;
  for (const [text, name] of [
    [`export function evaluate() ${body}`, 'evaluate'],
    [`export const evaluate = async () => ${body};`, 'evaluate'],
    [`class Tables { #read() ${body} }`, 'read'],
    [`const tables = { read() ${body} };`, 'read'],
  ] as const) {
    const found = findWith({ 'gateway/core/store/x.ts': text });
    assert.equal(found, {
      'function-length': [`gateway/core/store/x.ts:1 ${name} has 61 lines, at most 60`],
    });
  }
});

test('a comment of three lines fails, unless it is a doc comment or beside code', () => {
  for (const text of ['// a\n// b\n// c\n', '/* a\n b\n c */\n', 'f();\n// a\n// b\n// c\nf();'])
    assert.match(
      findWith({ 'gateway/core/store/x.ts': text })['comment-length']?.[0] ?? '',
      'has 3 lines, at most 2',
    );
  for (const text of ['// a\n// b\n\n// c\n', '/** a\n * b\n * c */\n', 'f(); // a\nf(); // b\nf(); // c\n'])
    assert.equal(findWith({ 'gateway/core/store/x.ts': text }), {}, text);
});

test('a dependency that no source loads, and a package that is not a dependency, fail', () => {
  assert.equal(findWith({ 'gateway/core/store/store.ts': "import type { RootDatabase } from 'lmdb';" }), {
    packages: ['package.json depends on lmdb, which no source loads'],
  });
  assert.equal(findWith({ 'gateway/core/store/x.ts': "import { S3 } from '@redis/client/x.js';" }).packages, [
    'gateway/core/store/x.ts:1 loads @redis/client, which is not a dependency in package.json',
  ]);
  for (const lookUp of ['createRequire(import.meta.url)', 'import.meta'])
    assert.equal(findWith({ 'gateway/core/store/store.ts': `${lookUp}.resolve('lmdb');` }), {}, lookUp);
});

test.run();
