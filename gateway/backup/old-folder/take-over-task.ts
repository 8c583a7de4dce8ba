/** What the child is to do. */
export interface TakeOverTask {
  folder: string;
  /** Whether damaged records are left out, and another identity is accepted. */
  acceptsLoss: boolean;
}

/** `refusal`: why the folder cannot be taken over; `fault`: what is wrong with its data file; `crash`: how the child ended that sent neither. */
export type TakeOverOutcome = { refusal?: string; fault?: string; crash?: string };
