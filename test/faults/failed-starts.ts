import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { pick, type Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { commandLine, startProcess } from '../support/command.ts';
import { type FaultCampaign, type Figures, noFigures } from './figures.ts';

/** Far fewer descriptors than a gateway needs, up to almost enough. */
const DESCRIPTORS = { least: 20, most: 40 };

/** After this time a gateway that did not end is killed, and counts as silent. */
const MAX_WAIT_MS = 20_000;

/** Gateways start whose ports are taken, or which may open few files. */
export const campaign: FaultCampaign = {
  name: 'failed starts',
  about: 'ports are taken, or descriptors few, when a gateway starts: it ends with code 1 and says why',
  rounds: { short: 10, full: 60 },
  needs: ['prlimit'],
  async run(terms) {
    const fleet = await Fleet.open({ count: 1, hasFront: false });
    await fleet.end(0, 'SIGTERM');
    const figures = noFigures();
    const taken = createServer().listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => taken.once('listening', resolve));
      const { port } = taken.address() as AddressInfo;
      while (!terms.isOver()) await failOnce(fleet, String(port), terms, figures);
    } finally {
      taken.close();
      await fleet.close();
    }
    return figures;
  },
};

async function failOnce(
  fleet: Fleet,
  port: string,
  { random, report }: Terms,
  figures: Figures,
): Promise<void> {
  const what = pick(['--port', '--metrics-port', 'descriptors'], random);
  const ports = what === '--port' ? ['--port', port] : ['--port', '0'];
  const metrics = what === '--metrics-port' ? ['--metrics-port', port] : [];
  const places = ['--dist', fleet.dist, '--store', fleet.store];
  const command = commandLine('gateway', ['serve', ...ports, ...metrics, ...places]);
  const few = DESCRIPTORS.least + Math.floor(random() * (DESCRIPTORS.most - DESCRIPTORS.least));
  const limit = what === 'descriptors' ? ['prlimit', `--nofile=${few}`] : ['env'];
  const [program = '', ...args] = [...limit, ...command];
  const gateway = startProcess(program, args, { longest: MAX_WAIT_MS });
  // One that starts although it has few descriptors is right, too.
  void gateway.printed(/"message":"listening"/).then(
    () => gateway.child.kill('SIGTERM'),
    () => {},
  );
  const { code, signal, stdout, stderr } = await gateway.ended;
  figures.tried++;
  const isClear =
    what === 'descriptors' ? /descriptors|may not open more files/ : new RegExp(`\\b${port}\\b`);
  if (code === 1 && isClear.test(stderr) && !/\n {4}at /.test(stderr)) return;
  if (what === 'descriptors' && code === 0 && /"message":"listening"/.test(stdout)) return;
  figures[code === null || stderr === '' ? 'silent' : 'wrong']++;
  report(`${what} (${few}): ended with ${signal ?? code}: ${(stderr || stdout).slice(0, 300)}`);
}
