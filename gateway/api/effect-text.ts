// Says what an effect of a skill does, in a sentence: one template per kind, for all games. What the data does not say is left out, never guessed.
import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';

/** Stats that are a state: a character has it or not. */
const STATES =
  /^(Guts|Evade|Invincible|Ignore .*|Sure Hit|Taunt|Anti-Purge Defence|Levitate|Pierce|Unlimited ammunition|.* Immunity)$/;
/** States that harm. A debuff gives them; a buff of the same name protects from them or uses them. */
const HARMS =
  /^(Stun|Slow|Bind|Imprisonment|Silence|Cold|Freeze|Sleep|Petrify|Pigify|Confusion|Fear|Charm|Terror|Immobilise|Skill Seal|NP Seal|Buff Block|Burn|Curse|Poison|Death|Charge)$/;
/** What a unit holds. A buff or debuff of it without a number can mean anything. */
const HELD = /^(NP|Critical Stars)$/;
/** What is spent; other costs lower a stat. */
const SPENT = /^(Energy|HP|DP|SP|NP|Critical Stars|Stamina|Adrenaline|Skill Points|Nightsoul Point)$/;
/** Stats whose change without a number may go up or down, and be good either way. */
const CHANGED = /^(Attack Range|Attack Interval)$/;

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const SMALL = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** Writes a number with three digits, or with one after the point; Intl takes many times as long, so it gets what has more. */
function write(value: number): string {
  const size = Math.abs(value);
  if (size < 1000 && Math.round(value * 10) / 10 === value) return String(value);
  return (size < 10 ? SMALL : NUMBER).format(value);
}

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : '');

/** `45.7%–122.3%` over the levels, or one number. Empty without one. */
function amountOf({ value, per, unit }: JsonObject): string {
  const all = (Array.isArray(per) ? per : [per ?? value]).filter((each) => typeof each === 'number');
  if (all.every((each) => each === 0)) return '';
  const [first, last] = [write(all[0] ?? 0), write(all.at(-1) ?? 0)];
  const range = first === last ? first : `${first}–${last}`;
  return unit === '%' ? `${range}%` : unit === 's' ? `${range} s` : range;
}

const WHO: Readonly<Record<string, string>> = {
  self: 'the user',
  opponent: 'the opponent',
  ally: 'an ally',
  team: 'the team',
  'next resonator': 'the next Resonator',
};

/**
 * @param effect an element of `effects`
 * @param turns the unit of its duration: `turns` or `seconds`
 * @returns a sentence such as `Raises own ATK by 20% for 3 turns`
 */
export function sayEffect(effect: JsonObject, turns = ''): string {
  const { duration, unit } = effect;
  const [kind, stat, of] = [textOf(effect.kind), textOf(effect.stat), textOf(effect.of)];
  const [target, label] = [textOf(effect.target), textOf(effect.label)];
  const who = WHO[target] ?? target;
  const amount = amountOf(effect);
  const share = amount === '' || of === '' ? amount : `${amount} of ${of}`;
  const [to = '', on = '', ofWho = '', from = ''] = who
    ? [` to ${who}`, ` on ${who}`, ` of ${who}`, ` from ${who}`]
    : [];
  const whose = target === 'self' ? `own ${stat}` : stat + ofWho;
  const [by, with_] = [share && ` by ${share}`, share && ` ${share}`];
  const condition = textOf(effect.condition);
  const least = /^at (least|most)$/.test(condition) ? `${condition} ` : '';
  const isState = STATES.test(stat);
  const removed = () => `Removes ${stat.replace(/ ?Removal$/, '').toLowerCase()}s`;
  const gives = (what: string) => `Gives ${who && `${who} `}${what}`;
  const energy = (share === '1' ? stat.replace(/s$/, '') : stat) || 'energy';
  const neutral = () => gives(`a ${kind}${stat && ` (${stat}${with_})`}`);
  const inflicts = () => `Inflicts ${stat}${on}${amount && (unit === 's' ? ` for ${amount}` : `: ${share}`)}`;

  const said = (): string => {
    switch (kind) {
      case 'damage':
        if (amount === '') return `Deals damage${to}`;
        return unit === '%' ? `Deals damage of ${least}${share}${to}` : `Deals ${least}${amount} damage${to}`;
      case 'heal':
        if (unit === '%' || amount === '') return `Heals${who && ` ${who}`}${by}`;
        return `Heals ${amount} HP${ofWho}`;
      case 'shield':
        return gives(`${stat || 'a shield'}${share && ` of ${share}`}`);
      case 'buff':
        if (stat === 'Action') return `Advances the action${ofWho}${by}`;
        if (stat === 'Targets' && amount) return `Reaches ${amount} target${amount === '1' ? '' : 's'}`;
        if (stat === 'DEF ignored' && amount) return `Ignores ${amount} of DEF`;
        if (stat === 'DMG taken') return `Lowers the damage taken${who && ` by ${who}`}${by}`;
        if (stat.endsWith('Removal') && !duration) return `${removed()}${from}`;
        if (isState) return gives(stat + with_);
        if (stat === '' && amount) return `Has an effect of ${share}${on}`;
        if (stat === '' || HARMS.test(stat) || HELD.test(stat)) return neutral();
        if (/Decrease|Reduction/.test(label)) return `Lowers ${whose}${by}`;
        if (amount.startsWith('-')) return `Lowers ${whose} by ${share.replaceAll('-', '')}`;
        return `${CHANGED.test(stat) ? 'Changes' : amount === '' ? 'Improves' : 'Raises'} ${whose}${by}`;
      case 'debuff':
        if (stat === 'Charge') return `Drains the charge${ofWho}`;
        if (stat.endsWith('Removal') && !duration) return `${removed()}${from}`;
        if (stat === 'DMG taken') return `Raises the damage taken${who && ` by ${who}`}${by}`;
        if (HARMS.test(stat)) return inflicts();
        if (/^(Evade|Guts|Invincible|Sure Hit)$/.test(stat)) return `Removes ${stat}${from}`;
        return stat === '' || isState || stat === 'Critical Stars' ? neutral() : `Lowers ${whose}${by}`;
      case 'energy':
        return `Gives${who && ` ${who}`}${with_} ${energy}${duration ? ' each turn' : ''}`;
      case 'summon':
        return `Summons ${stat ? `the ${stat.toLowerCase()}${ofWho}` : 'an ally'}${share && ` with ${share}`}`;
      case 'control':
        if (stat === 'Action') return `Delays the action${ofWho}${by}`;
        if (stat === 'Death') return `May kill ${who || 'the target'} at once`;
        if (stat === 'Daze') return `Adds Daze${share && ` of ${share}`}${to}`;
        if (stat === '') return `Keeps ${who || 'the target'} from acting`;
        if (stat === 'Switch' || stat === 'Return') return `Takes ${who} out of the active spot`;
        return HARMS.test(stat) || isState ? inflicts() : gives(`a debuff (${stat})`);
      case 'cost':
        if (stat === '') return 'Has a cost';
        if (stat === 'CD') return `Has a cooldown${amount && ` of ${amount}`}`;
        if (stat === 'Death') return `Kills ${who || 'the user'}`;
        if (HARMS.test(stat)) return inflicts();
        if (!SPENT.test(stat)) return `Lowers ${whose}${by}`;
        return `Costs ${of === '' ? `${amount} ${stat}`.trim() : share}`;
      default:
        return amount === '' ? 'Has another effect' : label ? share : `Has a value of ${share}`;
    }
  };
  const times = Number(effect.times ?? 1);
  let sentence = said();
  if (times > 1) sentence += `, ${times} times`;
  if (condition === 'for each') sentence += ', times what the attack counts';
  if (condition.startsWith('per ')) sentence += `, ${condition}`;
  if (duration && turns) sentence += ` for ${duration} ${duration === 1 ? turns.replace(/s$/, '') : turns}`;
  if (/^(if|against|under|on) /.test(condition)) sentence += `, ${condition}`;
  if (effect.chance !== undefined) sentence += `, with a base chance of ${effect.chance}%`;
  return label === '' ? sentence : `${label}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

/** Whether a value is a list of effects in the vocabulary that all games share. */
export function areEffects(value: Json | undefined): value is JsonObject[] {
  const isEffect = (each: Json) => isObject(each) && 'kind' in each && !('skills' in each);
  return Array.isArray(value) && value.length > 0 && value.every(isEffect);
}

/** The sentences of a list of effects, each once, a line each. @returns empty for another value */
export function sayEffects(effects: Json | undefined, turns?: string): string {
  if (!areEffects(effects)) return '';
  return [...new Set(effects.map((effect) => `${sayEffect(effect, turns)}.`))].join('\n');
}

/** Adds `text`, the sentence, to each effect anywhere in a result. */
export function addTexts(value: unknown, turns?: string): void {
  if (value === null || typeof value !== 'object') return;
  for (const [name, each] of Object.entries(value)) {
    if (name === 'effects' && areEffects(each))
      for (const effect of each) effect.text = sayEffect(effect, turns);
    else addTexts(each, turns);
  }
}
