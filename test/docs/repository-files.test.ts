import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { createProgram } from '../../scripts/commands/program.ts';
import { ROOT } from '../support/paths.ts';

const files = suite('the files of the repository');

async function readText(file: string): Promise<string> {
  return await readFile(path.join(ROOT, file), 'utf8');
}

interface IssueForm {
  name?: string;
  description?: string;
  body: { type: string; id?: string; attributes: { label?: string; value?: string; options?: string[] } }[];
}

/** The name of an image with its tag, which a reader sees, and its digest, which counts. */
const IMAGE = /^[a-z][\w./-]*:[\w.-]+@sha256:[0-9a-f]{64}$/;
const FIELDS = ['input', 'textarea', 'dropdown', 'markdown'];

files('for issues are forms that GitHub accepts', async () => {
  for (const name of ['wrong-data', 'new-game', 'bug']) {
    const form = parse(await readText(`.github/ISSUE_TEMPLATE/${name}.yml`)) as IssueForm;
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

interface Job {
  container?: string;
  permissions?: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

interface Workflow {
  env?: object;
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}

/** The jobs of all workflows, each with the name of its file and its own. */
async function readJobs(): Promise<{ of: string; workflow: Workflow; job: Job }[]> {
  const names = await readdir(path.join(ROOT, '.github/workflows'));
  const jobsOf = async (file: string) => {
    const workflow = parse(await readText(`.github/workflows/${file}`)) as Workflow;
    return Object.entries(workflow.jobs).map(([name, job]) => ({ of: `${file} ${name}`, workflow, job }));
  };
  return (await Promise.all(names.map(jobsOf))).flat();
}

files('name actions by the hash of a commit, and images by their digest', async () => {
  for (const { of, job } of await readJobs()) {
    for (const { uses } of job.steps.filter((step) => step.uses !== undefined))
      assert.match(uses ?? '', /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/, of);
    if (job.container !== undefined) assert.match(job.container, IMAGE, of);
  }
  const examples = 'docs/operators/examples/containers';
  const [base, ...stages] = (await readText(`${examples}/Containerfile`)).match(/(?<=^FROM )\S+/gm) ?? [];
  assert.match(base ?? '', IMAGE);
  assert.equal([...new Set(stages)], ['base']);
});

files(
  'give workflows the permissions that they need, and only to jobs that run no code of others',
  async () => {
    const jobs = await readJobs();
    for (const { of, workflow, job } of jobs) {
      assert.equal(workflow.permissions, { contents: 'read' }, of);
      assert.is(workflow.env, undefined, of);
      if (job.steps.some(({ run }) => /cli\.js|npm (ci|install)/.test(run ?? '')))
        assert.is(job.permissions, undefined, of);
    }
  },
);

files('give no secret to a job that reads upstream', async () => {
  const readers = (await readJobs()).filter(({ job }) =>
    job.steps.some(({ run }) => run?.includes('cli.js pull')),
  );
  assert.equal(
    readers.map(({ of }) => of),
    ['patch-day.yml pull'],
  );
  for (const { of, job } of readers) {
    assert.not.match(JSON.stringify(job), /secrets\b|github\.token|GITHUB_TOKEN/, of);
    const checkout = job.steps.find(({ uses }) => uses?.startsWith('actions/checkout@'));
    assert.is(checkout?.with?.['persist-credentials'], false, of);
  }
});

files('and examples for patch day run commands and options that exist', async () => {
  const examples = [
    '.github/workflows/patch-day.yml',
    ...['gamedata', 'patch-day'].map((name) => `docs/operators/examples/systemd/${name}.service`),
  ];
  const program = await createProgram();
  for (const file of examples) {
    const runs = [...(await readText(file)).matchAll(/scripts\/cli\.js (\S+)(.*)/g)];
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
  const { engines } = JSON.parse(await readText('package.json')) as { engines: { node: string } };
  const [, major] = /^>=(\d+)\./.exec(engines.node) ?? [];
  assert.is((await readText('.nvmrc')).trim(), major);
  assert.match(await readText('.github/workflows/ci.yml'), new RegExp(`container: node:${major}-`));
});

files.run();
