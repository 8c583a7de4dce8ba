import type { Mappings } from '../../compile/mapping.ts';
import type { GameSource } from '../../read/game/read-game.ts';
import type { CheckFinding } from '../../check/check.ts';
import type { Limits, Rule } from '../rule.ts';

/** A check of a game's definition that needs no tables. It runs if nothing else is wrong. `check` is pure. */
export interface GameCheck<Name extends string = never> extends Rule<Name> {
  check(game: GameSource, mappings: Mappings, limits: Limits<Name>): CheckFinding[];
}
