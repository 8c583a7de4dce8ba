import { arknights } from './arknights.ts';
import { dota2 } from './dota-2.ts';
import type { ExpectedGame } from './expected-game.ts';
import { fateGrandOrder } from './fate-grand-order.ts';
import { gakuenIdolmaster } from './gakuen-idolmaster.ts';
import { genshinImpact } from './genshin-impact.ts';
import { honkaiStarRail } from './honkai-star-rail.ts';
import { princessConnect } from './princess-connect.ts';
import { projectSekai } from './project-sekai.ts';
import { zenlessZoneZero } from './zenless-zone-zero.ts';

/**
 * What the full upstream dumps hold, by slug. It was computed from their raw files without the mappings and the compiler. Tests compile
 * the dumps with the definitions in data/, or in definitions/ for games that are not shipped, and compare.
 */
export const expectations: Record<string, ExpectedGame> = {
  arknights,
  'fate-grand-order': fateGrandOrder,
  'genshin-impact': genshinImpact,
  'princess-connect': princessConnect,
  'zenless-zone-zero': zenlessZoneZero,
  'gakuen-idolmaster': gakuenIdolmaster,
  'honkai-star-rail': honkaiStarRail,
  'project-sekai': projectSekai,
  'dota-2': dota2,
};
