import { MailError, type Mailer, type MailFailure } from './mailer.ts';

/** How many mails had each outcome. */
export type MailCounts = Record<'sent' | MailFailure, number>;

/** A mailer that counts its mails. */
export interface CountingMailer extends Mailer {
  readonly counts: Readonly<MailCounts>;
}

/** Makes a mailer count the mails that it sends and fails to send. */
export function countMails(mailer: Mailer): CountingMailer {
  const counts: MailCounts = { sent: 0, refused: 0, unavailable: 0 };
  return {
    counts,
    async send(mail) {
      try {
        await mailer.send(mail);
        counts.sent++;
      } catch (error) {
        if (error instanceof MailError) counts[error.failure]++;
        throw error;
      }
    },
  };
}
