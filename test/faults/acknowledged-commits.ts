import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../gateway/store/open.ts';
import { KEY_FILE } from '../../gateway/store/sqlite.ts';
import type { Acknowledged } from '../campaigns/acknowledged.ts';
import type { Terms } from '../campaigns/campaign.ts';
import { pick } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send, Traffic } from '../campaigns/traffic.ts';
import { type Ended, type Running, runCommand, startCommand, startProcess } from '../support/command.ts';
import { BUILD } from '../support/paths.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { type FaultCampaign, type Figures, noFigures, readBack } from './figures.ts';

/** How many processes write at the same time: commands that write once, and processes that stay. */
const COMMANDS = 3;
const STAYING = 2;
/** A round lasts until there are so many commits, and so many of them by commands. */
const ROUND_COMMITS = 100;
const ROUND_BY_COMMANDS = 10;
const MAX_PAUSE_MS = 1000;
/** How long a writer may last before it counts as one that hangs. */
const MAX_MS = 600_000;
/** A line of a staying process, with the whole key. */
const COMMIT = /^(issued|revoked) (gdr_[a-z2-7]{39})$/;
const WRITER = path.join(BUILD, 'test/faults/commit-writer.js');

/** Every commit that a command or a process has acknowledged is in the store afterwards, and in each backup that was begun later. */
export const campaign: FaultCampaign = {
  name: 'acknowledged commits',
  about:
    'several writers beside a gateway and backups, kills in every second round: each acknowledged commit is in the store and in later backups',
  // A round has 100 commits, and every second one has kills.
  rounds: 20,
  needs: [],
  async run(terms) {
    const fleet = await Fleet.open({ count: 1, hasFront: false });
    const figures = noFigures();
    const world = new CommitWorld(fleet, terms, figures);
    try {
      for (let round = 0; !terms.isOver(); round++) await world.run(round % 2 === 1);
    } finally {
      await fleet.close();
    }
    const { commits, byCommands, backups, kills } = world.counts;
    process.stderr.write(
      `acknowledged commits: ${commits} commits (${byCommands} by commands), ${backups} backups, ${kills} kills\n`,
    );
    return figures;
  },
};

/** A backup, and what was acknowledged before it was begun. */
interface Backup {
  file: string;
  acknowledged: Acknowledged;
}

/** Writers, a gateway that counts requests, and backups in a loop, all on the store of a fleet. */
class CommitWorld {
  /** What was done, for the summary. */
  readonly counts = { commits: 0, byCommands: 0, backups: 0, kills: 0 };
  readonly #fleet: Fleet;
  readonly #terms: Terms;
  readonly #figures: Figures;
  readonly #writers = new Set<Running>();
  readonly #killed = new Set<Running>();
  #backups: Backup[] = [];
  #goal = { commits: 0, byCommands: 0 };
  #next = 0;

  constructor(fleet: Fleet, terms: Terms, figures: Figures) {
    this.#fleet = fleet;
    this.#terms = terms;
    this.#figures = figures;
  }

  /** Writes for a while, then reads everything back: from the store and from each backup. */
  async run(hasKills: boolean): Promise<void> {
    const { commits, byCommands } = this.counts;
    this.#goal = { commits: commits + ROUND_COMMITS, byCommands: byCommands + ROUND_BY_COMMANDS };
    const key = await this.#runCommand('issue', this.#nextEmail());
    const traffic = new Traffic(2, () => send(`${this.#fleet.address(0)}/api/games`, key));
    await Promise.all([
      ...Array.from({ length: COMMANDS }, () => this.#runCommands()),
      ...Array.from({ length: STAYING }, () => this.#runStaying()),
      this.#backUp(),
      ...(hasKills ? [this.#kill()] : []),
    ]);
    await traffic.stop();
    await this.#readAll();
  }

  get #isOver(): boolean {
    const { commits, byCommands } = this.counts;
    return commits >= this.#goal.commits && byCommands >= this.#goal.byCommands;
  }

  #nextEmail(): string {
    return `w${this.#next++}@example.org`;
  }

  /** Issues a key with each command, and revokes every fourth. */
  async #runCommands(): Promise<void> {
    while (!this.#isOver) {
      const issued = await this.#runCommand('issue', this.#nextEmail());
      if (issued === undefined) continue;
      await this.#ask(issued);
      if (this.#terms.random() < 0.25) await this.#runCommand('revoke', issued.slice(0, 12));
    }
  }

  /** @returns the key or its prefix; undefined if the command did not acknowledge a commit */
  async #runCommand(kind: 'issue' | 'revoke', about: string): Promise<string | undefined> {
    const args = ['keys', kind, about, '--store', this.#fleet.store, '--json'];
    const writer = startCommand('gateway', args, { longest: MAX_MS });
    const ended = await this.#follow(writer, `gateway keys ${kind}`);
    const key = /"(?:key|prefix)":"(gdr_[a-z2-7]+)".*\n/.exec(ended.stdout)?.[1];
    if (key === undefined) return undefined;
    this.counts.byCommands++;
    this.#note(kind === 'issue' ? 'issued' : 'revoked', key);
    return key;
  }

  /** A process that keeps the store open. It is started again when it was killed. */
  async #runStaying(): Promise<void> {
    while (!this.#isOver) {
      const args = [WRITER, this.#fleet.store, `s${this.#next++}`];
      const writer = startProcess(process.execPath, args, { longest: MAX_MS });
      createInterface({ input: writer.child.stdout }).on('line', (line) => {
        const [, kind, key] = COMMIT.exec(line) ?? [];
        if (kind !== undefined && key !== undefined) this.#note(kind as 'issued' | 'revoked', key);
        // A second signal could arrive when the process, at its end, does not catch it any more.
        if (this.#isOver && !writer.child.killed) writer.child.kill('SIGTERM');
      });
      await this.#follow(writer, 'a writer');
    }
  }

  #note(kind: 'issued' | 'revoked', key: string): void {
    this.counts.commits++;
    this.#figures.tried++;
    this.#fleet.acknowledged[kind](key);
  }

  /** Waits until a writer has ended, which it may do with an error only if it was killed. */
  async #follow(writer: Running, what: string): Promise<Ended> {
    this.#writers.add(writer);
    const ended = await writer.ended;
    this.#writers.delete(writer);
    if (ended.code !== 0 && !this.#killed.has(writer)) {
      this.#figures[ended.signal === null && ended.stderr !== '' ? 'lost' : 'silent']++;
      this.#terms.report(`${what} ended with ${ended.signal ?? ended.code}: ${ended.stderr.slice(0, 300)}`);
    }
    return ended;
  }

  /** A key works as soon as it was acknowledged. The gateway may be down, because it was killed. */
  async #ask(key: string): Promise<void> {
    const { status, text } = await send(`${this.#fleet.address(0)}/api/games`, key);
    if (status !== 401) return;
    this.#figures.wrong++;
    this.#terms.report(`a key that was just issued got ${status} ${text.slice(0, 200)}`);
  }

  async #backUp(): Promise<void> {
    const { root, store, acknowledged } = this.#fleet;
    while (!this.#isOver) {
      const file = path.join(root, `backup-${this.counts.backups++}`);
      const backup = { file, acknowledged: acknowledged.copy() };
      const { code, signal, stderr } = await runCommand('gateway', [
        'store',
        'backup',
        file,
        '--store',
        store,
      ]);
      if (code === 0) this.#backups.push(backup);
      else {
        this.#figures[signal === null ? 'lost' : 'silent']++;
        this.#terms.report(`gateway store backup ended with ${signal ?? code}: ${stderr.slice(0, 300)}`);
      }
    }
  }

  /** Kills writers and the gateway at random moments. */
  async #kill(): Promise<void> {
    const { random } = this.#terms;
    while (!this.#isOver) {
      await sleep(random() * MAX_PAUSE_MS);
      if (this.#isOver || this.#writers.size === 0) continue;
      this.counts.kills++;
      if (random() < 0.2) {
        await this.#fleet.end(0, 'SIGKILL');
        await this.#fleet.start(0);
        continue;
      }
      const writer = pick([...this.#writers], random);
      this.#killed.add(writer);
      writer.child.kill('SIGKILL');
    }
  }

  async #readAll(): Promise<void> {
    const { store, acknowledged, root } = this.#fleet;
    await readBack(this.#fleet, this.#terms, this.#figures);
    const opened = await openStore(store);
    const events = await acknowledged.findLostEvents(opened);
    await opened.close();
    this.#countLost(events, 'the store has no event');
    for (const backup of this.#backups) {
      const restored = path.join(root, 'restored');
      // A backup is kept apart from the key, which a restored store needs too.
      await mkdir(restored);
      await copyFile(path.join(store, KEY_FILE), path.join(restored, KEY_FILE));
      const args = ['store', 'restore', backup.file, '--store', restored];
      const { code, stderr } = await runInProcess('gateway', args);
      if (code === 0) this.#countLost(await backup.acknowledged.findLostIn(restored), `in ${backup.file}:`);
      else this.#countLost([stderr], `${backup.file} cannot be restored:`);
      await rm(restored, { recursive: true, force: true });
      await rm(backup.file);
    }
    this.#backups = [];
  }

  #countLost(lost: readonly string[], where: string): void {
    this.#figures.lost += lost.length;
    for (const line of lost) this.#terms.report(`${where} ${line}`);
  }
}
