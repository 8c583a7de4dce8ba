import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sayEffect } from '../../../gateway/api/effect-text.ts';
import type { JsonObject } from '../../../scripts/format/json.ts';
import { table } from '../../support/table.ts';

const test = suite('sentences of effects');

for (const [effect = '', expected] of table`
  {"kind":"damage","of":"ATK","per":[45.725,122.289],"unit":"%","target":"enemies","label":"1-Hit DMG"} | 1-Hit DMG: deals damage of 45.7–122.3% of ATK to enemies
  {"kind":"damage","value":200,"target":"opponent","condition":"at least"} | Deals at least 200 damage to the opponent
  {"kind":"damage","value":30,"target":"opponent","condition":"for each"} | Deals 30 damage to the opponent, times what the attack counts
  {"kind":"damage","of":"ATK","value":50,"unit":"%","target":"enemies","times":3,"condition":"per Paw"} | Deals damage of 50% of ATK to enemies, 3 times, per Paw
  {"kind":"heal","of":"Max HP","per":[10,20],"unit":"%","target":"ally"} | Heals an ally by 10–20% of Max HP
  {"kind":"shield","of":"DEF","per":[38,66.5],"unit":"%","target":"one ally","duration":3} | Gives one ally a shield of 38–66.5% of DEF for 3 turns
  {"kind":"buff","stat":"ATK","value":20,"unit":"%","target":"self","duration":3} | Raises own ATK by 20% for 3 turns
  {"kind":"buff","stat":"NP Gain","target":"all allies","duration":3} | Improves NP Gain of all allies for 3 turns
  {"kind":"buff","stat":"Stamina","value":15,"unit":"%","label":"Stamina Consumption Decrease"} | Stamina Consumption Decrease: lowers Stamina by 15%
  {"kind":"buff","stat":"Targets","value":1} | Reaches 1 target
  {"kind":"buff","stat":"Attack Interval"} | Changes Attack Interval
  {"kind":"buff","stat":"Charm","target":"self"} | Gives the user a buff (Charm)
  {"kind":"buff","stat":"Sleep","target":"self"} | Gives the user a buff (Sleep)
  {"kind":"buff","stat":"Ignore Defence","target":"self","duration":1} | Gives the user Ignore Defence for 1 turn
  {"kind":"buff","stat":"Debuff Removal","target":"all allies"} | Removes debuffs from all allies
  {"kind":"buff","stat":"ATK","value":20,"unit":"%","target":"self","duration":3,"condition":"on some fields"} | Raises own ATK by 20% for 3 turns, on some fields
  {"kind":"control","stat":"Charm","target":"enemies","duration":1,"condition":"if the target is Male","chance":60} | Inflicts Charm on enemies for 1 turn, if the target is Male, with a base chance of 60%
  {"kind":"heal","value":500,"target":"self","duration":5,"condition":"per turn"} | Heals 500 HP of the user, per turn for 5 turns
  {"kind":"debuff","stat":"SPD","value":15,"unit":"%","target":"one enemy","chance":100,"duration":2} | Lowers SPD of one enemy by 15% for 2 turns, with a base chance of 100%
  {"kind":"debuff","stat":"Curse","target":"all enemies","duration":5} | Inflicts Curse on all enemies for 5 turns
  {"kind":"debuff","stat":"Evade","target":"one enemy"} | Removes Evade from one enemy
  {"kind":"energy","stat":"Critical Stars","target":"self","duration":3} | Gives the user Critical Stars each turn for 3 turns
  {"kind":"control","stat":"Stun","per":[3,5],"unit":"s","target":"enemies"} | Inflicts Stun on enemies for 3–5 s
  {"kind":"control","stat":"Daze","of":"Impact","per":[48.4,72.6],"unit":"%","target":"enemies"} | Adds Daze of 48.4–72.6% of Impact to enemies
  {"kind":"cost","stat":"HP","of":"Max HP","value":4,"unit":"%","target":"self"} | Costs 4% of Max HP
  {"kind":"control","stat":"Switch","target":"self"} | Takes the user out of the active spot
  {"kind":"summon","stat":"Evolution","target":"self"} | Summons the evolution of the user
  {"kind":"other"} | Has another effect
  {"kind":"other","value":10,"label":"Stagger"} | Stagger: 10
`)
  test(`${effect} is said`, () => {
    assert.is(sayEffect(JSON.parse(effect) as JsonObject, 'turns'), expected);
  });

test.run();
