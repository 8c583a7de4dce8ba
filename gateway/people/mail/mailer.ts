import type { Mail } from '../../../scripts/notices/compose-mail.ts';

export type { Mail } from '../../../scripts/notices/compose-mail.ts';

/** The port for sending mail. */
export interface Mailer {
  /**
   * Sends a mail to an address as returned by `readEmail`; resolves or rejects within half a minute.
   *
   * @throws MailError
   */
  send(mail: Mail): Promise<void>;
}

/** Why a mail could not be sent. `refused`: the address is refused for good; `unavailable`: any other reason, so a retry may succeed. */
export type MailFailure = 'refused' | 'unavailable';

/** A mail could not be sent. The message is for the operator: one line, without the email address. */
export class MailError extends Error {
  override name = 'MailError';
  readonly failure: MailFailure;

  constructor(failure: MailFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
