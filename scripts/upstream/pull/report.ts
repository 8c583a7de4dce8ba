import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CoverageOptions } from '../../commands/options.ts';
import type { Compiler, StartWorkers } from '../../compile/workers.ts';
import { ownValue } from '../../format/dist-format.ts';
import { hidePrivate } from '../../notices/hide-private.ts';
import { isWebhookSecret, signWebhook } from '../../notices/webhook-signature.ts';
import { CommandError, errorOf, makePrivateFolder, readVersion, replacePrivateFile } from '../../system.ts';
import { countOf } from '../../text.ts';
import type { RawSource } from '../source.ts';
import {
  type Choice,
  DAY_MS,
  days,
  describeQuiet,
  type GameUpstream,
  type PulledGame,
  SHORT_HASH,
} from './builds.ts';
import type { GameState } from './state.ts';

/** Something that a person should know, with advice. */
export interface Item {
  /** Identifies the item: each is reported once. */
  key: string;
  kind: 'held' | 'carried' | 'changed' | 'failing' | 'quiet' | 'accepted';
  /** Undefined if it concerns all games. */
  game: string | undefined;
  build?: string | undefined;
  text: string;
  remedy: string;
  /** The file with the review. */
  review?: string | undefined;
}

/** The options of `pull` and `rollback` about folders and hosts. */
export interface Folders extends Partial<CoverageOptions> {
  data: string;
  cache: string;
  allowLocal: boolean;
  out: string;
  publish?: string;
  endpoint?: string;
}

/** The options of `gamedata pull`. */
export interface PullOptions extends Folders {
  reviews: string;
  dryRun: boolean;
  watch: boolean;
  /** In seconds. */
  every: number;
  build: boolean;
  webhook?: string;
  asIs: boolean;
  skip?: string;
  take?: string;
}

/** The pull of a game in a round. */
export interface Pull {
  /** Its current state. */
  game: PulledGame;
  upstream: GameUpstream;
  state: GameState;
  options: PullOptions;
  compiler: Compiler;
  /** Starts the workers of a review. */
  start: StartWorkers | undefined;
  /** What a person should know. */
  items: Item[];
  /** Stops after the current build. */
  signal: AbortSignal;
}

/** What the cache remembers of a game. A game whose upstream and folder are unchanged is examined once a day. */
interface Remembered {
  /** The state of its upstream and folder when nothing was left to do, with the items reported then. */
  idle?: { source: RawSource; remote: string; mark: string; until: number; items: Item[] };
  /** The state of the game's folder at its last build. */
  built?: string;
}

interface Saved {
  games: Record<string, Remembered>;
  /** The keys of the reported items that still wait, and their games. */
  told: [key: string, game: string][];
  /** What was accepted since the last report. */
  accepted: Item[];
  /** The time of the last report. */
  at: number;
  /** The report that is not delivered yet. */
  pending?: { id: string; body: string } | undefined;
}

const MAX_POST_MS = 15_000;
/** Below the maximum length of a Discord message. */
const MAX_CONTENT_CHARS = 1900;

/** Reports each item once, and all that still wait daily. A report that was not delivered is sent again. */
export class Reports {
  readonly #file: string;
  readonly #post: ((id: string, body: string) => Promise<void>) | undefined;
  #saved: Saved = { games: {}, told: [], accepted: [], at: 0 };

  /** @throws CommandError if a setting is not valid */
  constructor(cache: string, webhook: string | undefined) {
    this.#file = path.join(cache, 'pull.json');
    this.#post = webhook === undefined ? undefined : openWebhook(webhook, process.env);
    try {
      Object.assign(this.#saved, JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch {
      // The file does not exist or is damaged: everything is reported again.
    }
  }

  memoryOf(slug: string): Remembered {
    const { games } = this.#saved;
    const memory = ownValue(games, slug) ?? {};
    games[slug] = memory;
    return memory;
  }

  /**
   * Reports new items. @param done the games of which all items are given: what else was reported of them is over
   * @returns why the report was not delivered; undefined if nothing is left to send
   */
  async send(items: readonly Item[], done: ReadonlySet<string>): Promise<string | undefined> {
    const saved = this.#saved;
    const waiting = items.filter(({ kind }) => kind !== 'accepted');
    const keys = new Set(waiting.map(({ key }) => key));
    const told = new Map(saved.told);
    const isDaily = items.length > 0 && Date.now() - saved.at >= DAY_MS;
    // Nothing else repeats what was accepted, so it waits for its report.
    if (this.#post) saved.accepted.push(...items.filter(({ kind }) => kind === 'accepted'));
    const fresh = [...saved.accepted, ...waiting.filter(({ key }) => !told.has(key))];
    const isDue = this.#post !== undefined && !saved.pending && (fresh.length > 0 || isDaily);
    if (isDue) {
      const body = JSON.stringify(writeReport({ new: fresh, waiting }));
      saved.pending = { id: `msg_${hash('sha256', body).slice(0, 32)}`, body };
      saved.accepted = [];
      saved.at = Date.now();
    }
    for (const [key, game] of told) if (done.has(game) && !keys.has(key)) told.delete(key);
    if (isDue) for (const { key, game = '' } of waiting) told.set(key, game);
    saved.told = [...told];
    try {
      // Saved first, so that a killed process sends the same report again.
      await this.#save();
      if (!this.#post || !saved.pending) return undefined;
      await this.#post(saved.pending.id, saved.pending.body);
      saved.pending = undefined;
      await this.#save();
      return undefined;
    } catch (error) {
      const { message, cause } = errorOf(error);
      return hidePrivate(cause instanceof Error ? `${message}: ${cause.message}` : message);
    }
  }

  async #save(): Promise<void> {
    await makePrivateFolder(path.dirname(this.#file));
    await replacePrivateFile(this.#file, Buffer.from(JSON.stringify(this.#saved)));
  }
}

/** The body of the webhook: new items, and those that still wait. */
export type PullReport = ReturnType<typeof writeReport>;

function writeReport(data: { new: Item[]; waiting: Item[] }) {
  const lines = (title: string, items: readonly Item[]) =>
    items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `- ${describeItem(item)}`)];
  const told = new Set(data.new.map(({ key }) => key));
  const waiting = data.waiting.filter(({ key }) => !told.has(key));
  const still = `${countOf(waiting.length, 'thing')} still waiting`;
  const text = [...lines('New', data.new), ...lines(still, waiting)].join('\n');
  // For people; chats that expect a `text` or `content` show it too.
  const content = text.length > MAX_CONTENT_CHARS ? `${text.slice(0, MAX_CONTENT_CHARS)}…` : text;
  return { type: 'pull.report', timestamp: new Date(Date.now()).toISOString(), text: content, content, data };
}

/** An item in one line. */
export function describeItem({ game, text, remedy, review }: Item): string {
  const parts = [`${game ?? 'all games'}: ${text}`, remedy, review && `review: ${review}`];
  return plain(parts.filter(Boolean).join('; '));
}

function openWebhook(url: string, { GAMEDATA_WEBHOOK_SECRET: secret }: NodeJS.ProcessEnv) {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isLocal = parsed && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(parsed.hostname);
  if (!parsed || !(parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLocal)))
    throw new CommandError('--webhook: expected an https:// address, or http:// of this machine', 2);
  if (secret !== undefined && !isWebhookSecret(secret))
    throw new CommandError(
      'GAMEDATA_WEBHOOK_SECRET: expected the secret that signs posts, whsec_ and the Base64 of 24 to 96 random bytes, such as from: echo whsec_$(openssl rand -base64 32)',
      2,
    );
  return async (id: string, body: string) => {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(MAX_POST_MS),
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `game-data-read-api/${readVersion()}`,
        ...(secret === undefined ? {} : signWebhook([secret], id, body, Date.now())),
      },
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the response had status ${response.status}`);
  };
}

const MAX_SHOWN_ERRORS = 3;

/** @param about identifies the item together with its game: it is reported once per value */
export function note({ game, items }: Pull, about: string, item: Omit<Item, 'key' | 'game'>): void {
  items.push({ key: `${item.kind} ${game.slug} ${about}`, game: game.slug, ...item });
}

export function reviewFileOf({ game: { slug }, options: { reviews } }: Pull, build: string): string {
  return path.join(reviews, `${slug}-${build}.md`);
}

/** Subjects come from strangers, and their control characters could change what a terminal shows. */
export function plain(line: string): string {
  return line.replace(/\p{Cc}/gu, ' ');
}

/** Describes the upstream state: how many builds are new, and why others are not added. */
export function describeFound({ game, upstream, options }: Pull, { chosen, older, waiting }: Choice): string {
  const { builds, problems } = upstream;
  const { git, npm, archive, files = {} } = game.source;
  const where = git ?? npm ?? archive ?? countOf(Object.keys(files).length, 'file');
  const leftOut = (count: number, what: string, why: string) =>
    count > 0 ? [`  ${countOf(count, what)} left out, ${why}`] : [];
  const lines = [
    `${game.slug}: ${countOf(builds.length, 'build')} in ${where}, ${chosen.length} to add`,
    ...leftOut(problems.length, git === undefined ? 'build' : 'commit', `such as: ${problems[0]}`),
    ...leftOut(older.length, 'build', 'older than the newest that the game has'),
    ...waiting.slice(0, 1).map(({ build, settledAt }) => {
      const until = new Date(settledAt).toISOString();
      return `  ${build} waits until ${until}, when its commits are complete`;
    }),
    ...(options.dryRun ? chosen : []).map(({ build, released_at, commit, subject }) => {
      const from = `"${subject}" (${commit.slice(0, SHORT_HASH)})`;
      return `  ${build}, released at ${released_at}: ${from}`;
    }),
  ];
  return lines.map((line) => `${plain(line)}\n`).join('');
}

/** Reports what a person should know after a game's pull. @param gone served builds that upstream no longer has @param empty builds without any file of the game */
export async function reportGame(pull: Pull, choice: Choice, gone: string[], empty: string[]) {
  const { game, state, upstream } = pull;
  const { slug, raw, source } = game;
  const isGoingOn = raw.successor !== undefined || choice.chosen.length + choice.waiting.length > 0;
  const quiet = isGoingOn ? undefined : describeQuiet(upstream.builds);
  if (quiet !== undefined) note(pull, '', { kind: 'quiet', text: quiet, remedy: '' });
  // All builds are gone if the history was replaced.
  const [first, ...more] = gone;
  const others = more.length > 0 ? `, and ${countOf(more.length, 'other build')}` : '';
  const back = `only the newest build can be taken back, with gamedata rollback ${slug} ${game.builds.at(-1)?.build}`;
  if (first !== undefined)
    noteChange(pull, first, `${first}, which is served, is gone upstream${others}`, back);
  const commits = Object.values(state.content.seen ?? {});
  const licence = source.licence === 'none stated' ? undefined : await upstream.findLostLicence?.(commits);
  if (licence !== undefined)
    note(pull, `licence ${licence}`, {
      kind: 'changed',
      text: `${licence}, which states the licence, is gone upstream`,
      remedy: `ask upstream whether its data may still be served; "licence": "none stated" in "source" ends this question, gamedata rollback ${slug} takes the newest build back`,
    });
  // Why builds of upstream are not found or cannot be added although no step failed.
  const faults = upstream.faults.length > 0 ? [...upstream.faults, ...upstream.problems.slice(0, 1)] : [];
  if (faults.length === 0 && empty.length > 0)
    faults.push(
      `${empty.join(', ')} upstream has no file of the game: correct "source" or "tables" in game.json, or leave it out for good (gamedata pull ${slug} --skip ${empty[0]})`,
    );
  const text = plain(faults.join('; '));
  if (text !== '') note(pull, text, { kind: 'failing', text, remedy: '' });
  reportDates(pull, choice);
  reportHeld(pull);
  reportCarried(pull);
}

export function noteChange(pull: Pull, build: string, text: string, advice: string): void {
  const remedy = `${advice}; to keep it as it is for good, run gamedata pull ${pull.game.slug} --skip ${build}`;
  note(pull, `${build} ${text}`, { kind: 'changed', build, text, remedy });
}

function reportDates(pull: Pull, { far, furthest, older }: Choice): void {
  const { game, state, upstream } = pull;
  const ask = (about: string, build: string, text: string) =>
    note(pull, about, {
      kind: 'held',
      build,
      text,
      remedy: `if that is right, run gamedata pull ${game.slug} --take ${build}; if not, wait for upstream, or leave it out with --skip ${build}`,
    });
  for (const { build, released_at } of far) {
    const text = `build ${build} is held back: its release, ${released_at}, is ${days(Date.parse(released_at) - Date.now())} ahead; at most ${days(furthest)} are usual for this game`;
    ask(`far ${build} ${released_at}`, build, text);
  }
  // Builds before the first one that was ever taken were left out on purpose.
  const { seen = {} } = state.content;
  const taken = upstream.builds.filter(({ build }) => Object.hasOwn(seen, build));
  const first = Math.min(...taken.map(({ order }) => order));
  for (const { build, released_at, order } of older) {
    const isTried = state.find(build)?.commit !== undefined;
    if (isTried || order <= first || game.builds.some((each) => each.build === build)) continue;
    const text = `build ${build} came late: it is released at ${released_at}, before builds that are served`;
    ask(`late ${build}`, build, text);
  }
}

function reportHeld(pull: Pull): void {
  const { slug, builds } = pull.game;
  const places = new Map(pull.upstream.builds.map(({ build }, at) => [build, at]));
  const placeOf = (build: string) => places.get(build) ?? -1;
  const served = builds.map(({ build }) => build);
  const newest = Math.max(0, ...served.map(placeOf));
  for (const [build, { errors = [], questions = [], skip, commit = '' }] of pull.state.builds) {
    // A later build passed: upstream reverted the cause. Or upstream took the build back.
    if (skip || errors.length === 0 || placeOf(build) < newest || served.includes(build)) continue;
    const more = errors.length > MAX_SHOWN_ERRORS ? `, and ${errors.length - MAX_SHOWN_ERRORS} more` : '';
    // A question of several builds is reported once.
    note(pull, questions.join() || `${build} ${commit}`, {
      kind: 'held',
      build,
      review: reviewFileOf(pull, build),
      text: `build ${build} is held back: ${errors.slice(0, MAX_SHOWN_ERRORS).join('; ')}${more}`,
      remedy: `correct the mapping, accept it (gamedata pull ${slug} --take ${build}), leave it out (--skip ${build}), or wait for upstream`,
    });
  }
}

function reportCarried(pull: Pull): void {
  const { folder } = pull.game;
  for (const [dataset, questions] of Object.entries(pull.state.content.carried ?? {})) {
    const asked = Object.keys(questions).join(', ');
    const all = Object.values(questions);
    const since = all.map(({ at }) => at).sort()[0];
    const builds = [...new Set(all.flatMap((question) => question.builds))];
    const [first = '', build] = [builds[0], builds.at(-1)];
    note(pull, `${dataset} ${asked}`, {
      kind: 'carried',
      build,
      review: reviewFileOf(pull, first),
      text: `${dataset} is kept as it was before ${first}, or left out if it is new, since ${since}, in ${countOf(builds.length, 'build')}: ${asked}`,
      remedy: `wait for upstream, or correct the mapping; to take up a change, remove "carried" from ${folder}/${build}/build.json, add the overrides of the review, and run gamedata build --amend`,
    });
  }
}
