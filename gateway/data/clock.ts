import type { Log } from '../http/log.ts';

interface SteadyClockOptions {
  log: Log;
  /** The clock of the machine, in ms since 1970. */
  wall?: () => number;
  /** A monotonic clock, in ms. */
  monotonic?: () => number;
  /** `shared` of the parent process's clock, so that a worker that starts during a jump has the same time. */
  from?: number | undefined;
}

/** The machine's monotonic clock minus that of this process, in ms. */
const SHIFT = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Smaller changes of the clock are followed at once. */
const TOLERANCE_MS = 2000;
/** How long the machine's clock must keep a new time before it is accepted. */
const HOLD_MS = 60_000;

/**
 * The machine's clock without its jumps. A clock that jumps forward for a moment would show builds before their release, and send alerts about them.
 * So a jump in either direction is ignored at first: time passes by the monotonic clock until the machine's clock has kept its new time for a minute.
 */
export class SteadyClock {
  readonly #log: Log;
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  /** The machine's time minus the monotonic time. */
  #offset: number;
  #jump: { by: number; at: number } | undefined;

  constructor({ log, wall = Date.now, monotonic = () => performance.now(), from }: SteadyClockOptions) {
    this.#log = log;
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#offset = from === undefined ? wall() - monotonic() : from + SHIFT;
  }

  /** This clock minus the machine's monotonic clock, which all processes share. */
  get shared(): number {
    return this.#offset - SHIFT;
  }

  /** @returns ms since 1970 */
  readonly now = (): number => {
    const wall = this.#wall();
    const monotonic = this.#monotonic();
    const by = wall - (monotonic + this.#offset);
    const jump = this.#jump;
    const isRight = Math.abs(by) < TOLERANCE_MS;
    const isSame = jump !== undefined && Math.abs(by - jump.by) < TOLERANCE_MS;
    if (isRight || (isSame && monotonic - jump.at >= HOLD_MS)) {
      this.#offset += by;
      this.#jump = undefined;
      const message = isRight
        ? 'the clock is right again'
        : 'the clock stays at its new time, which is used from now on';
      if (jump) this.#log.info(message, { seconds: Math.round(jump.by / 1000) });
      return wall;
    }
    if (!isSame) {
      this.#jump = { by, at: monotonic };
      const seconds = Math.round(by / 1000);
      this.#log.error('the clock of the machine jumped; the old time continues for a minute', { seconds });
    }
    return Math.floor(monotonic + this.#offset);
  };
}

/** A clock may be set back by less than this without effect. */
const LATE_MS = 1000;

/** Wraps a clock so that small corrections do not turn it back. */
export function steady(now: () => number): () => number {
  let last = 0;
  return () => {
    const at = Math.floor(now());
    last = at < last && last - at < LATE_MS ? last : at;
    return last;
  };
}
