import type { Json, JsonObject } from '../../scripts/format/dist-format.ts';
import type { Files } from '../support/fixtures.ts';

/** What a round of `gamedata pull --build` after a commit should do. */
export type Outcome =
  /** The build is served at once. */
  | 'served'
  /** The build is broken: it is held back and reported. */
  | 'held'
  /** A dataset is broken: it is reported, and the build is served with the dataset of the build before. */
  | 'carried'
  /** The build has a change that may be real: it is held back and reported, until a person accepts it, or upstream has kept it for two builds and a week. */
  | 'asked'
  /** A person has accepted the build before it in the meantime: both are served. */
  | 'accepted'
  /** The build is held back for the same as one before it, which is not reported again. */
  | 'waits'
  /** As `waits`, and now upstream has kept the change: this build and those that waited are served. */
  | 'kept'
  /** The newest build is served as it was corrected. */
  | 'corrected'
  /** What was broken is whole now, and served. */
  | 'mended'
  /** The build waits for its hour to end, or the commit has none. */
  | 'nothing';

/** A commit of upstream. */
export interface MadeCommit {
  subject: string;
  /** Of what is committed; undefined for a commit that changes no file of the game. */
  build: string | undefined;
  /** ISO 8601. */
  at: string;
  files: Files;
  outcome: Outcome;
}

interface Unit {
  name: string;
  rarity: number;
  element: string;
  hp: number;
  atk: number;
  crit?: number;
}

const ELEMENTS = ['Fire', 'Water', 'Wind', 'Earth'];
const SYLLABLES: readonly (readonly [latin: string, kana: string, hangul: string])[] = [
  ['ka', 'カ', '카'],
  ['mi', 'ミ', '미'],
  ['ro', 'ロ', '로'],
  ['na', 'ナ', '나'],
  ['su', 'ス', '수'],
  ['te', 'テ', '테'],
  ['ha', 'ハ', '하'],
  ['yo', 'ヨ', '요'],
];
const START = Date.UTC(2025, 0, 6);
const DAY_MS = 86_400_000;
const UNITS = 48;
const ITEMS = 60;

/** The history of an invented game, which grows by episodes. Its random choices are those of `random`. */
export class MadeHistory {
  readonly commits: MadeCommit[] = [];
  readonly #units: Record<string, Unit> = {};
  readonly #names: Record<'ja' | 'ko', Record<string, string>> = { ja: {}, ko: {} };
  readonly #items: { id: string; name: string; price: number }[] = [];
  readonly #random: () => number;
  #made = 0;
  #builds = 0;
  #hasCrit = false;
  #hasKorean = false;

  constructor(random: () => number) {
    this.#random = random;
    for (let count = 0; count < UNITS; count++) this.addUnit();
    for (let count = 0; count < ITEMS; count++) this.addItem();
    this.release('served');
  }

  /** Commits the next build a week later, with other files than the tables are, if they are given. */
  release(outcome: Outcome, files: Files = {}): void {
    this.#builds++;
    this.#commit(outcome, 0, files);
  }

  /** Commits the newest build again, some minutes after its first commit. */
  again(outcome: Outcome, minutes: number): void {
    this.#commit(outcome, minutes, {});
  }

  /** Commits a file that is none of the game's, a day after the newest build. */
  elsewhere(): void {
    const files = {
      'README.md': `Dumps of ${this.#builds} builds.`,
      'tools/dump.json': { runs: this.#made++ },
    };
    const subject = 'Describe the dumps';
    this.commits.push({ subject, build: undefined, at: this.#timeOf(24 * 60), files, outcome: 'nothing' });
  }

  addUnit(): void {
    const [latin, ja, ko] = this.#makeName();
    const id = `u${100 + this.#made}`;
    this.#units[id] = {
      name: `${latin[0]?.toUpperCase()}${latin.slice(1)}`,
      rarity: 3 + (this.#made % 3),
      element: ELEMENTS[this.#made % ELEMENTS.length] ?? '',
      hp: 900 + this.#below(300),
      atk: 100 + this.#below(60),
      ...(this.#hasCrit && { crit: 5 + this.#below(10) }),
    };
    this.#names.ja[id] = ja;
    this.#names.ko[id] = ko;
  }

  addItem(): void {
    const [latin] = this.#makeName();
    this.#items.push({ id: `i${this.#made}`, name: `${latin} stone`, price: 50 + this.#below(400) });
  }

  /** Changes a stat of some units by -20 to +20 %. */
  balance(): void {
    for (let count = 0; count < 4; count++) {
      const unit = this.#units[this.#someUnit()];
      if (unit) unit.hp = Math.round(unit.hp * (0.8 + 0.4 * this.#random())) + 1;
    }
  }

  /** Makes one stat of all units a tenth larger. */
  raiseAll(): void {
    for (const unit of Object.values(this.#units)) unit.atk = Math.round(unit.atk * 1.1);
  }

  removeUnit(): void {
    delete this.#units[this.#someUnit()];
  }

  removeItem(): void {
    this.#items.splice(this.#below(this.#items.length), 1);
  }

  renameUnit(): void {
    const old = this.#someUnit();
    const { [old]: unit } = this.#units;
    if (!unit) return;
    delete this.#units[old];
    const id = `${old}x`;
    this.#units[id] = unit;
    for (const names of Object.values(this.#names)) names[id] = names[old] ?? '';
  }

  renameItem(): void {
    const item = this.#items[this.#below(this.#items.length)];
    if (item) item.id += 'x';
  }

  addCrit(): void {
    this.#hasCrit = true;
    for (const unit of Object.values(this.#units)) unit.crit = 5 + this.#below(10);
  }

  addKorean(): void {
    this.#hasKorean = true;
  }

  /** The files of the tables as they are now. */
  tables(): { 'raw/units.json': JsonObject; 'raw/items.json': Json } & Files {
    const ids = Object.keys(this.#units);
    const namesIn = (language: 'ja' | 'ko') =>
      Object.fromEntries(ids.map((id) => [id, this.#names[language][id] ?? '']));
    return {
      'raw/units.json': Object.fromEntries(
        Object.entries(this.#units).map(([id, unit]) => [id, { ...unit }]),
      ),
      'raw/items.json': this.#items.map((item) => ({ ...item })),
      'lang/ja.json': namesIn('ja'),
      ...(this.#hasKorean && { 'lang/ko.json': namesIn('ko') }),
    };
  }

  /** The same units, each changed by a broken export. */
  unitsWith(change: (unit: JsonObject, at: number) => JsonObject | undefined): Files {
    const rows = Object.entries(this.tables()['raw/units.json']);
    const changed = rows.flatMap(([id, row], at) => {
      const unit = change({ ...(row as JsonObject) }, at);
      return unit ? [[id, unit]] : [];
    });
    return { 'raw/units.json': Object.fromEntries(changed) };
  }

  #commit(outcome: Outcome, minutes: number, files: Files): void {
    const build = `1.${this.#builds}`;
    const subject = `Update ${build}`;
    this.commits.push({
      subject,
      build,
      at: this.#timeOf(minutes),
      files: { ...this.tables(), ...files },
      outcome,
    });
  }

  /** @param minutes after the newest build */
  #timeOf(minutes: number): string {
    return new Date(START + 7 * this.#builds * DAY_MS + minutes * 60_000).toISOString();
  }

  /** A name that nothing else has, in Latin letters, kana and hangul. */
  #makeName(): [string, string, string] {
    const digits = (this.#made++ + 64).toString(8);
    const parts = [...digits].map((digit) => SYLLABLES[Number(digit)] ?? ['', '', '']);
    return [0, 1, 2].map((at) => parts.map((part) => part[at]).join('')) as [string, string, string];
  }

  #someUnit(): string {
    const ids = Object.keys(this.#units);
    return ids[this.#below(ids.length)] ?? '';
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}
