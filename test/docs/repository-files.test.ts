import { access, constants, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { createProgram } from '../../scripts/commands/program.ts';
import { ROOT } from '../support/paths.ts';

const files = suite('the files of the repository');

async function read(file: string): Promise<string> {
  return await readFile(path.join(ROOT, file), 'utf8');
}

interface IssueForm {
  name?: string;
  description?: string;
  body: { type: string; id?: string; attributes: { label?: string; value?: string; options?: string[] } }[];
}

/** Pages for contributors, and the sections that each must have. */
const GUIDES: [file: string, sections: string[]][] = [
  [
    'CONTRIBUTING.md',
    [
      'Set up and run',
      'Test',
      'Where things go',
      'Add a game or a build',
      'Add a check',
      'Add a format',
      'Add an endpoint',
      'Add a store',
      'Add a membership platform',
      'How a change is reviewed',
    ],
  ],
  ['SECURITY.md', ['Report a vulnerability', 'Supported versions', 'What is promised']],
  ['.github/pull_request_template.md', ['What and why', 'How it was tested']],
];
const FIELDS = ['input', 'textarea', 'dropdown', 'markdown'];

files('in .github/ are YAML without duplicate keys', async () => {
  const found = await fastGlob('.github/**/*.yml', { cwd: ROOT });
  assert.ok(found.length >= 6, found.join(' '));
  for (const file of found) assert.type(parse(await read(file)), 'object', file);
});

files('for issues are forms that GitHub accepts', async () => {
  for (const name of ['wrong-data', 'new-game', 'bug']) {
    const form = parse(await read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as IssueForm;
    assert.ok(form.name && form.description, name);
    const fields = form.body.filter(({ type }) => type !== 'markdown');
    assert.equal(
      form.body.map(({ type }) => type).filter((type) => !FIELDS.includes(type)),
      [],
    );
    for (const { id, type, attributes } of fields) {
      assert.match(id ?? '', /^[a-z-]+$/, `${name} ${attributes.label}`);
      assert.ok(attributes.label && (type !== 'dropdown' || attributes.options?.length), `${name} ${id}`);
    }
    assert.is(new Set(fields.map(({ id }) => id)).size, fields.length, name);
  }
});

files('guide contributors from the setup to the review', async () => {
  for (const [file, sections] of GUIDES) {
    const headings: string[] = (await read(file)).match(/(?<=^## ).+$/gm) ?? [];
    assert.equal(
      sections.filter((section) => !headings.includes(section)),
      [],
      file,
    );
  }
  for (const file of ['.editorconfig', 'LICENSE']) await access(path.join(ROOT, file));
});

files('make CI run what a contributor runs', async () => {
  const workflow = parse(await read('.github/workflows/ci.yml')) as {
    jobs: { check: { steps: { run?: string }[] } };
  };
  assert.ok(workflow.jobs.check.steps.some(({ run }) => run === '.ci/run'));
  await access(path.join(ROOT, '.ci/run'), constants.X_OK);
});

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, { permissions?: Record<string, string>; steps: { uses?: string; run?: string }[] }>;
}

files('give workflows the permissions that they need, and none to a job that reads upstream', async () => {
  for (const file of await readdir(path.join(ROOT, '.github/workflows'))) {
    const workflow = parse(await read(`.github/workflows/${file}`)) as Workflow;
    assert.equal(workflow.permissions, { contents: 'read' }, file);
    for (const [name, { permissions, steps }] of Object.entries(workflow.jobs)) {
      if (steps.some(({ run }) => run?.includes('cli.js')))
        assert.is(permissions, undefined, `${file} ${name}`);
    }
  }
});

files('and examples for patch day run commands and options that exist', async () => {
  const examples = [
    '.github/workflows/patch-day.yml',
    ...['gamedata', 'patch-day'].map((name) => `docs/operators/examples/systemd/${name}.service`),
  ];
  const program = await createProgram();
  for (const file of examples) {
    const runs = [...(await read(file)).matchAll(/scripts\/cli\.js (\S+)(.*)/g)];
    assert.ok(runs.length > 0, file);
    for (const [, name = '', rest = ''] of runs) {
      const command = program.commands.find((each) => each.name() === name);
      const known = command?.options.map(({ long }) => long) ?? [];
      const used: string[] = rest.match(/--[a-z-]+/g) ?? [];
      assert.equal(
        used.filter((option) => !known.includes(option)),
        [],
        `${file}: ${name}`,
      );
    }
  }
});

files('name one Node.js: the oldest that the package supports', async () => {
  const { engines } = JSON.parse(await read('package.json')) as { engines: { node: string } };
  const [, major] = /^>=(\d+)\./.exec(engines.node) ?? [];
  assert.is((await read('.nvmrc')).trim(), major);
  assert.match(await read('.github/workflows/ci.yml'), new RegExp(`container: node:${major}-`));
});

files('include a changelog that begins with "Unreleased"', async () => {
  const [first, ...others] = (await read('CHANGELOG.md')).match(/^## .+$/gm) ?? [];
  assert.is(first, '## Unreleased');
  for (const heading of others) assert.match(heading, /^## \d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/);
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  assert.ok(
    others.some((heading) => heading.startsWith(`## ${version} - `)),
    `no heading for ${version}`,
  );
});

files.run();
