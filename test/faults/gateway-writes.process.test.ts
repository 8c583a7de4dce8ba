import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyFolder } from '../../gateway/backup/verify.ts';
import { startCommand } from '../support/command.ts';
import { buildGames } from '../support/dist-fixture.ts';
import { DISK_FAULTS, FAULTY_MACHINE_LACKS, FaultyMachine } from '../support/faulty-machine.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../support/sample-games.ts';
import { withPrograms } from '../support/skip.ts';
import { until } from '../support/until.ts';

const ALONE = 'quotas are counted by this gateway alone';

const test = suite("a gateway's own writes");
const onLinux = FAULTY_MACHINE_LACKS === 'Linux' ? test.skip : withPrograms(test, 'gcc');

onLinux(
  'requests are served while the disk of the store fails, and each is counted when it is back',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'gateway-writes-'));
    const store = path.join(folder, 'disk/store');
    const dist = path.join(folder, 'dist');
    await buildGames(SAMPLE_GAMES, dist);
    const { stdout } = await runInProcess('gateway', [
      'keys',
      'issue',
      'a@example.org',
      '--json',
      '--store',
      store,
    ]);
    const { key } = JSON.parse(stdout) as { key: string };
    const machine = await FaultyMachine.open(path.join(folder, 'disk'));
    const args = ['serve', '--port', '0', '--dist', dist, '--store', store];
    const { child, printed, ended } = startCommand('gateway', args, { cwd: folder, env: { ...machine.env } });
    let log = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: string) => {
        log += text;
      });
    try {
      const [, address = ''] = await printed(/"address":"([^"]+)"/);
      const request = async (page: string) =>
        await fetch(`${address}${page}`, { headers: { 'X-API-Key': key } });
      let served = 0;
      for (const fault of DISK_FAULTS) {
        machine.damage(fault);
        assert.is((await request('/api/star-rail/characters')).status, 200, `${fault}: ${log}`);
        assert.is((await fetch(`${address}/readyz`)).status, 200, fault);
        assert.ok(machine.mend() > 0, fault);
        assert.is((await request('/api/star-rail/characters')).status, 200, `after ${fault}: ${log}`);
        served += 2;
      }
      const { usage } = (await (await request('/api/me')).json()) as { usage: { day: { used: number } } };
      assert.is(usage.day.used, served);
      await until(() => log.includes(ALONE));
      child.kill();
      const { code, signal } = await ended;
      assert.equal({ code, signal }, { code: 0, signal: null });
      assert.equal(verifyFolder(store).damaged, []);
    } finally {
      child.kill('SIGKILL');
      await ended;
      await machine.close();
      await rm(folder, { recursive: true });
    }
  },
);

test.run();
