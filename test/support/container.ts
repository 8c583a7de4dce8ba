import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Running, startProcess } from './command.ts';

/** Whether containers can be made here: with the rights of root, and with network namespaces that are joined by a bridge. */
export const CAN_CONTAIN =
  spawnSync('unshare', ['--net', '--mount', 'ip', 'link', 'add', 'br0', 'type', 'bridge'], {
    stdio: 'ignore',
  }).status === 0;

/**
 * Makes a root file system from that of this machine: /usr and /etc, what is listed, and folders in memory that can be written. Everything
 * else is read-only. The arguments are the folder, a file for /etc/hosts, and then pairs as for `add`.
 */
const MAKE_ROOT = `
  set -e
  root=$1; hosts=$2; shift 2
  mount -t tmpfs -o mode=755 none "$root"
  mkdir "$root/proc" "$root/dev" "$root/tmp" "$root/usr" "$root/etc"
  for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
  for folder in usr etc; do mount --bind "/$folder" "$root/$folder"; mount -o remount,bind,ro "$root/$folder"; done
  mount --bind "$hosts" "$root/etc/hosts"
  mount --rbind /dev "$root/dev"
  mount -t proc none "$root/proc"
  mount -t tmpfs -o mode=1777 none "$root/tmp"
  while [ $# -gt 0 ]; do
    mkdir -p "$(dirname "$root$2")"
    if [ -f "$1" ]; then touch "$root$2"; else mkdir "$root$2"; fi
    case "$1" in
      uid=*) mount -t tmpfs -o "mode=700,$1" none "$root$2" ;;
      *) mount --bind "$1" "$root$2"; mount -o remount,bind,ro "$root$2" ;;
    esac
    shift 2
  done
  mount -o remount,ro "$root"
  echo made
  exec cat`;
const MAKE_NETWORK =
  'set -e; ip link set lo up; ip link add br0 type bridge; ip link set br0 up; echo made; exec cat';

/** Where Node.js is in a container. */
const NODE = '/node/node';

/** Starts a process that holds namespaces until its input is closed, so also when this process ends. */
async function hold(
  namespaces: string[],
  script: string,
  args: readonly string[] = [],
): Promise<ChildProcess> {
  const holder = spawn('unshare', [...namespaces, 'sh', '-c', script, 'sh', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const made = once(holder.stdout, 'data').then(() => true);
  if (!(await Promise.race([made, once(holder, 'exit').then(() => false)])))
    throw new Error('no namespaces can be made');
  return holder;
}

async function release(holder: ChildProcess): Promise<void> {
  const ended = once(holder, 'exit');
  holder.stdin?.end();
  await ended;
}

/** Runs a command to its end. @throws Error if it fails */
async function run(program: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await startProcess(program, args).ended;
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${stderr}`);
}

/** How a process runs in a container. */
export interface ContainedOptions {
  env?: Record<string, string>;
  /** The working directory in the container. */
  cwd?: string;
  /** The user, who has no rights of root; without one it is root with all rights. */
  user?: number;
}

/** A network, with its own loopback device, root file system and address for each container: what a container engine makes, without an image. */
export class ContainerNetwork {
  readonly #holder: ChildProcess;
  readonly #folder: string;
  readonly #hosts: Record<string, string>;
  readonly #containers: Container[] = [];

  private constructor(holder: ChildProcess, folder: string, hosts: Record<string, string>) {
    this.#holder = holder;
    this.#folder = folder;
    this.#hosts = hosts;
  }

  /** @param names the names of its containers, by which they reach each other */
  static async open(names: readonly string[]): Promise<ContainerNetwork> {
    const folder = await mkdtemp(path.join(tmpdir(), 'containers-'));
    // Users of containers reach their folders through it.
    await chmod(folder, 0o755);
    const hosts = Object.fromEntries(names.map((name, index) => [name, `10.255.0.${index + 1}`]));
    const lines = Object.entries(hosts).map(([name, address]) => `${address} ${name}\n`);
    await writeFile(path.join(folder, 'hosts'), `127.0.0.1 localhost\n${lines.join('')}`);
    return new ContainerNetwork(await hold(['--net'], MAKE_NETWORK), folder, hosts);
  }

  /**
   * Adds a container.
   *
   * @param mounts its folders and files: from a path of this machine, read-only; or `uid=<number>`, a folder in memory of that user
   */
  async add(name: string, mounts: readonly (readonly [from: string, to: string])[]): Promise<Container> {
    const root = path.join(this.#folder, name);
    await mkdir(root);
    const args = [root, path.join(this.#folder, 'hosts'), process.execPath, NODE, ...mounts.flat()];
    const holder = await hold(['--net', '--mount'], MAKE_ROOT, args);
    const [bridge, pid] = [String(this.#holder.pid), String(holder.pid)];
    const link = `veth${this.#containers.length}`;
    const inside = (target: string, script: string) =>
      run('nsenter', '--target', target, '--net', 'sh', '-ec', script);
    await inside(
      bridge,
      `ip link add ${link} type veth peer name eth0 netns ${pid}; ip link set ${link} master br0 up`,
    );
    await inside(pid, `ip link set lo up; ip addr add ${this.#hosts[name]}/24 dev eth0; ip link set eth0 up`);
    const container = new Container(holder, root);
    this.#containers.push(container);
    return container;
  }

  /** Removes all containers. */
  async close(): Promise<void> {
    for (const container of this.#containers) await container.close();
    await release(this.#holder);
    await rm(this.#folder, { recursive: true });
  }
}

/** A container of a network. */
export class Container {
  readonly #holder: ChildProcess;
  readonly #root: string;
  readonly #running: Running[] = [];

  constructor(holder: ChildProcess, root: string) {
    this.#holder = holder;
    this.#root = root;
  }

  /** Starts a program in the container, with no other environment than `env`. */
  start(command: readonly string[], { env = {}, cwd = '/', user }: ContainedOptions = {}): Running {
    const rights =
      user === undefined
        ? []
        : [
            ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
            ...['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'],
          ];
    const variables = Object.entries({
      PATH: `${path.dirname(NODE)}:${process.env.PATH}`,
      HOME: '/',
      ...env,
    });
    const running = startProcess('nsenter', [
      ...['--target', String(this.#holder.pid), '--net', '--mount', '--', 'chroot', this.#root, ...rights],
      ...['env', '-i', `--chdir=${cwd}`, ...variables.map(([name, value]) => `${name}=${value}`), ...command],
    ]);
    this.#running.push(running);
    return running;
  }

  /** Runs a program to its end. @returns its exit code */
  async run(command: readonly string[], options?: ContainedOptions): Promise<number | null> {
    return (await this.start(command, options).ended).code;
  }

  /** Ends all programs that were started in it. */
  async end(signal: NodeJS.Signals): Promise<void> {
    for (const { child } of this.#running) child.kill(signal);
    for (const { ended } of this.#running) await ended;
  }

  /** Ends everything in it, and removes it. */
  async close(): Promise<void> {
    await this.end('SIGTERM');
    await release(this.#holder);
  }
}
