import type { RequestLimits } from '../../core/access/ports.ts';
import type { Holder, IssuedKey } from '../../core/plans/account.ts';
import { BadAttempts } from '../../shared/attempts/bad-attempts.ts';
import { ConditionalLimit } from './conditional-limit.ts';
import { WorkBudget } from './work-budget.ts';

/** What the clients of one process may cost. */
export class ClientLimits implements RequestLimits {
  readonly #budget: WorkBudget;
  readonly #conditional = new ConditionalLimit();
  readonly #attempts = new BadAttempts();

  constructor(budget = new WorkBudget()) {
    this.#budget = budget;
  }

  get badAttempts() {
    return this.#attempts.state;
  }

  run<T>(holder: Holder, work: () => T): T {
    return this.#budget.run(holder, work);
  }

  countConditional(issued: IssuedKey): void {
    this.#conditional.count(issued);
  }

  countBadAttempt(address: string, detail: string): void {
    this.#attempts.refuse(address, detail);
  }
}
