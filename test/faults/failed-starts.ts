import { type AddressInfo, createServer } from 'node:net';
import type { Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { commandLine, startProcess } from '../support/command.ts';
import { type FaultCampaign, type Figures, noFigures } from './figures.ts';

/** Node.js itself does not start with fewer descriptors. */
const LEAST_DESCRIPTORS = 20;
const MIN_DESCRIPTORS = 190;
const KINDS = ['--port', '--metrics-port', 'descriptors'];
/** A gateway that has not ended so long after its message is killed, and counts as silent. */
const MAX_WAIT_MS = 10_000;
/** The same for one that prints nothing. */
const MAX_SILENT_MS = 120_000;

/** Gateways start whose ports are taken, or which may open few files. */
export const campaign: FaultCampaign = {
  name: 'failed starts',
  about: 'ports are taken, or descriptors few, when a gateway starts: it ends with code 1 and says why',
  rounds: { short: 10, full: 60 },
  needs: ['prlimit'],
  async run(terms) {
    const fleet = await Fleet.open({ count: 0, hasFront: false });
    const figures = noFigures();
    const taken = createServer().listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => taken.once('listening', resolve));
      const { port } = taken.address() as AddressInfo;
      for (let round = 0; !terms.isOver(); round++) {
        await failOnce(fleet, KINDS[round % KINDS.length] as string, String(port), terms, figures);
      }
    } finally {
      taken.close();
      await fleet.close();
    }
    return figures;
  },
};

async function failOnce(
  fleet: Fleet,
  what: string,
  port: string,
  { random, report }: Terms,
  figures: Figures,
): Promise<void> {
  const ports = what === '--port' ? ['--port', port] : ['--port', '0'];
  const metrics = what === '--metrics-port' ? ['--metrics-port', port] : [];
  const places = ['--dist', fleet.dist, '--store', fleet.store];
  const command = commandLine('gateway', ['serve', ...ports, ...metrics, ...places]);
  const few = LEAST_DESCRIPTORS + Math.floor(random() * (MIN_DESCRIPTORS - LEAST_DESCRIPTORS));
  const limit = what === 'descriptors' ? ['prlimit', `--nofile=${few}`] : ['env'];
  const [program = '', ...args] = [...limit, ...command];
  const gateway = startProcess(program, args, { longest: MAX_SILENT_MS });
  let timer: NodeJS.Timeout | undefined;
  gateway.child.stderr.once('data', () => {
    timer = setTimeout(() => gateway.child.kill('SIGKILL'), MAX_WAIT_MS);
  });
  // One that serves although it cannot has to end, too.
  void gateway.printed(/"message":"listening"/).then(
    () => gateway.child.kill('SIGTERM'),
    () => {},
  );
  const { code, signal, stdout, stderr } = await gateway.ended;
  clearTimeout(timer);
  figures.tried++;
  const isClear =
    what === 'descriptors' ? /descriptors|may not open more files/ : new RegExp(`\\b${port}\\b`);
  if (code === 1 && isClear.test(stderr) && !/\n {4}at /.test(stderr)) return;
  figures[code === null || stderr === '' ? 'silent' : 'wrong']++;
  report(`${what} (${few}): ended with ${signal ?? code}: ${(stderr || stdout).slice(0, 300)}`);
}
