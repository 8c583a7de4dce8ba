/** A mail to one person, in plain text. */
export interface Mail {
  /** As `readEmail` gives it. */
  to: string;
  subject: string;
  text: string;
}

/** The port that mails leave by. */
export interface Mailer {
  /**
   * Hands a mail over; in half a minute it has done so, or failed.
   *
   * @throws MailError
   */
  send(mail: Mail): Promise<void>;
}

/** Why a mail was not taken: for good, because of its address, or for now, because of whatever stands between. */
export type MailFailure = 'refused' | 'unavailable';

/** A mail that was not taken; the message is for the operator, one line, without the address. */
export class MailError extends Error {
  override name = 'MailError';
  readonly failure: MailFailure;

  constructor(failure: MailFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
