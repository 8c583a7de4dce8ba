import { chmod, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { type Checkout, copyCheckout } from '../checkout.ts';
import { type Running, startProcess } from '../command.ts';
import { BUILD } from '../paths.ts';

/** The gateway that pages take for granted: that of `npm start`. */
export interface DemoGateway {
  /** Where it listens, as `http://127.0.0.1:40123`. */
  address: string;
  /** A free key, and one with Pro. */
  key: string;
  proKey: string;
}

/** A checkout in which `npm start` runs. */
export interface Demo extends DemoGateway {
  folder: string;
  /** What commands run with: `gamedata` and `gateway` are on the path. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** As docs/operators/membership-platforms.md says. */
const SETTINGS = { GATEWAY_PORT: '0', PATREON_WEBHOOK_SECRET: 'any text', PATREON_MIN_CENTS: '500' };
const COMMANDS = { gamedata: 'scripts/cli.js', gateway: 'gateway/cli.js' };

/** Runs `npm start` in a copy of this checkout that uses its compiled code. */
export async function startDemo(): Promise<Demo> {
  const checkout = await copyCheckout();
  const env = await linkCommands(checkout);
  const { folder } = checkout;
  const gateway = startProcess('npm', ['start'], {
    cwd: folder,
    env: { ...env, ...SETTINGS },
    detached: true,
  });
  const stop = async () => {
    stopNpmStart(gateway);
    await gateway.ended;
    await checkout.remove();
  };
  try {
    return { folder, env, stop, ...(await readDemoGateway(gateway)) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @returns the environment that has the commands on its path */
async function linkCommands({ folder }: Checkout): Promise<Record<string, string>> {
  await symlink(BUILD, path.join(folder, 'build'));
  const bin = path.join(folder, 'var', 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, file] of Object.entries(COMMANDS)) {
    await chmod(path.join(BUILD, file), 0o755);
    await symlink(path.join(BUILD, file), path.join(bin, name));
  }
  // Where `npm link` would put them.
  const prefix = path.join(folder, 'var', 'prefix');
  return { npm_config_prefix: prefix, PATH: `${bin}:${process.env.PATH}` };
}

/** Waits for what `npm start` prints to be pasted. */
export async function readDemoGateway(npmStart: Running): Promise<DemoGateway> {
  const [, key = '', address = ''] = await npmStart.printed(
    /curl .*X-API-Key: (gdr_\w+)' '(http:\/\/[^/]+)\//,
  );
  const [, proKey = ''] = await npmStart.printed(/X-API-Key: (gdr_\w+)' '\S+\/history/);
  return { key, address, proKey };
}

/** Ends `npm start` and all that it started; it leads a process group. */
export function stopNpmStart({ child }: Running): void {
  if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
}
