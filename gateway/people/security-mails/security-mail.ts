import type { Account } from '../../access/account.ts';
import { type AuditEvent, describeEvent } from '../audit/audit-event.ts';
import type { Mail } from '../mail/mailer.ts';
import { describeTime } from '../web/describe-time.ts';

/** What a mail reports: its events, the oldest first, and how many more there were. */
export interface NoticeContent {
  events: readonly AuditEvent[];
  more: number;
}

/**
 * Writes the mail about events of an account.
 *
 * @param page the address of the account page; undefined if there is none
 */
export function securityMail(
  account: Account,
  { events, more }: NoticeContent,
  page: string | undefined,
): Mail {
  const [first] = events;
  const isOne = events.length === 1 && more === 0 && first !== undefined;
  const advice = page
    ? `end its sessions and revoke its keys at
${page}`
    : 'ask the operator to revoke its keys';
  return {
    to: account.email,
    subject: isOne
      ? (describeTier(first) ?? `Your account: ${describeEvent(first)}`)
      : `Your account: ${events.length + more} events`,
    text: `This happened to your Game Data Read API account:

${events.map(describe).join('\n')}${more > 0 ? `\nand ${more} more` : ''}

If it was you, or you expected it, there is nothing to do. If not,
${advice}

--
You receive these mails because they are about the security of your account.
They cannot be turned off. Several events within a short time come in one mail.
`,
  };
}

/**
 * Writes the mail about an account that was deleted on its page.
 *
 * @param to its email address
 * @param network the network that deleted it
 */
export function deletionMail(to: string, network: string): Mail {
  return {
    to,
    subject: 'Your account was deleted',
    text: `Your Game Data Read API account was deleted on its page, from the network
${network}. All its keys have stopped working, and its data is gone.

If it was not you, somebody can read your mail: change its password.
`,
  };
}

function describe(event: AuditEvent): string {
  const from = event.network === null ? '' : `, from the network ${event.network}`;
  return `- ${event.at.slice(0, 16).replace('T', ' ')} UTC: ${describeEvent(event)}${from}`;
}

/** Returns what a change of memberships means for the account; undefined for other events. */
function describeTier({ event, about }: AuditEvent): string | undefined {
  if (event !== 'membership.changed' || about === null) return undefined;
  const [, until] = /^pro until (\S+)$/.exec(about) ?? [];
  if (until !== undefined) return `You are Pro until ${describeTime(until)}`;
  return about === 'pro' ? 'You are Pro' : 'You are no longer Pro';
}
