import { execFile } from 'node:child_process';
import { chmod, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFolder } from './support/fixtures.ts';
import { ROOT } from './support/paths.ts';

const packages = suite('the packages of the product');
const run = promisify(execFile);

interface Package {
  version: string;
  hasInstallScript?: boolean;
  dev?: boolean;
}

interface Component {
  name: string;
  version: string;
  properties: Property[];
}

type Property = { name: string; value: string };

function isForDevelopment({ name, value }: Property): boolean {
  return name === 'cdx:npm:package:development' && value === 'true';
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(path.join(ROOT, file), 'utf8')) as T;
}

async function readLock(): Promise<[place: string, found: Package][]> {
  const lock = await readJson<{ packages: Record<string, Package> }>('package-lock.json');
  return Object.entries(lock.packages);
}

packages('with install scripts are allowed by name and version, and no others', async () => {
  const { allowScripts } = await readJson<{ allowScripts: Record<string, boolean> }>('package.json');
  const withScripts = (await readLock()).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = withScripts.map(
    ([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`,
  );
  assert.equal(Object.keys(allowScripts).sort(), [...new Set(names)].sort());
  assert.ok(Object.values(allowScripts).every((allowed) => allowed === true));
});

packages('are listed by npm run sbom, in the versions that are installed', async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, maxBuffer: 1e8 });
  const bill = JSON.parse(stdout) as { bomFormat: string; components: Component[] };
  assert.is(bill.bomFormat, 'CycloneDX');
  const needed = bill.components.filter(({ properties }) => !properties.some(isForDevelopment));
  const listed = new Set(needed.map(({ name, version }) => `${name}@${version}`));
  const { dependencies } = await readJson<{ dependencies: Record<string, string> }>('package.json');
  const installed = new Map(await readLock());
  for (const name of Object.keys(dependencies))
    assert.ok(listed.has(`${name}@${installed.get(`node_modules/${name}`)?.version}`), name);
  assert.not.ok(
    needed.some(({ name }) => name === 'uvu'),
    'packages of the tests',
  );
});

/** Runs .ci/audit with an npm that prints a report. */
async function audit(report: string): Promise<{ code: number; stdout: string }> {
  return await withFolder({ npm: `#!/bin/sh\ncat <<'END'\n${report}\nEND\nexit 1\n` }, async (folder) => {
    await chmod(path.join(folder, 'npm'), 0o755);
    const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
    return await run(path.join(ROOT, '.ci/audit'), { env }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
    );
  });
}

const reportOf = (severity: string) =>
  JSON.stringify({
    vulnerabilities: { left: { name: 'left', severity, range: '<2' } },
    metadata: { vulnerabilities: { total: 1 } },
  });

packages('fail the audit for vulnerabilities of high and critical severity only', async () => {
  for (const severity of ['high', 'critical']) {
    const { code, stdout } = await audit(reportOf(severity));
    assert.is(code, 1, severity);
    assert.match(stdout, `left <2 has a ${severity} vulnerability`);
  }
  assert.is((await audit(reportOf('moderate'))).code, 0);
});

const NOTHING = JSON.stringify({ vulnerabilities: {}, metadata: { vulnerabilities: { total: 0 } } });
const LAST_LINES: [report: string, last: string][] = [
  [NOTHING, 'npm audit: asked, and nothing was found'],
  [reportOf('moderate'), 'npm audit: asked, and 1 vulnerability was found, 0 of them high or critical'],
  [reportOf('high'), 'npm audit: asked, and 1 vulnerability was found, 1 of them high or critical'],
  ['{"message": "405\\nGone"}', 'npm audit: could not ask the registry, so nothing is known: 405 Gone'],
  ['no JSON', 'npm audit: could not ask the registry, so nothing is known: no report'],
  ['{"metadata": {}}', 'npm audit: could not ask the registry, so nothing is known: no report'],
  ['', 'npm audit: could not ask the registry, so nothing is known: no report'],
];

packages('are audited with a last line that says whether the registry was asked', async () => {
  for (const [report, last] of LAST_LINES) {
    const { code, stdout } = await audit(report);
    assert.is(stdout.trimEnd().split('\n').at(-1), last);
    assert.is(code, last.endsWith(', 1 of them high or critical') ? 1 : 0, last);
  }
});

packages.run();
