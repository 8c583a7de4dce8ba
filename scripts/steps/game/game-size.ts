import path from 'node:path';
import { exampleRecords } from '../rule.ts';
import type { GameCheck } from './game-check.ts';

/** A game whose limit is so low that a few records exceed it. */
const withRecords = (count: number) => ({
  'game.json': { title: 'Game', checks: { 'game-size': { max_megabytes: 0.002 } } },
  '1.0/characters.json': exampleRecords(count),
});

export const gameSizeCheck: GameCheck<'max_megabytes'> = {
  name: 'game-size',
  description: 'The folder of a game is small enough for a repository.',
  scope: 'game',
  severity: 'warning',
  thresholds: {
    max_megabytes: {
      default: 10,
      min: 0.001,
      max: 1e6,
      help: 'how large the folder of a game may be, in MB',
    },
  },
  passes: withRecords(3),
  fails: withRecords(100),
  check({ folder, bytes }, _, { max_megabytes }) {
    if (bytes <= max_megabytes * 1e6) return [];
    return [
      {
        place: { file: path.posix.join(folder, 'game.json'), pointer: '', line: 1 },
        found: `${(bytes / 1e6).toFixed(2)} MB in ${folder}`,
        expected: `at most ${max_megabytes} MB, because every clone of the repository contains it`,
        fix: `store only the files and attributes that the mapping reads, and add the builds anew (gamedata add --replace); or name files of a public repository instead of copying them ("keep": "references" in "source"); if all of it is needed, set "checks": {"game-size": {"max_megabytes": ${Math.ceil(bytes / 1e6) + 2}}}`,
      },
    ];
  },
};
