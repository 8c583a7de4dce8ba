import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  andThen,
  countWork,
  orElse,
  Part,
  payFor,
  runInSlices,
  WORK,
  whenPrepared,
} from '../../../gateway/http/work.ts';

const test = suite('counted work');

function payer() {
  return {
    paid: 0,
    pay(micros: number) {
      this.paid += micros;
    },
  };
}

test('is paid for by the one for whom it is done, also if the work fails', () => {
  const [ada, bob] = [payer(), payer()];
  payFor(ada, () => {
    countWork(1);
    payFor(bob, () => countWork(10));
    countWork(2);
  });
  assert.throws(() =>
    payFor(ada, () => {
      countWork(4);
      throw new Error('failed');
    }),
  );
  countWork(100);
  assert.equal([ada.paid, bob.paid], [7, 10]);
});

test('is paid for later too, while others work in between', async () => {
  const payers = [payer(), payer(), payer()];
  await Promise.all(
    payers.map((each, at) =>
      payFor(each, () =>
        andThen(Promise.resolve(), () =>
          orElse(
            () => Promise.reject(new Error('first')),
            () => andThen(Promise.resolve(), () => countWork(at + 1)),
          ),
        ),
      ),
    ),
  );
  assert.equal(
    payers.map(({ paid }) => paid),
    [1, 2, 3],
  );
});

test('in slices costs a step each, and so does a part that they need', async () => {
  const [ada, bob] = [payer(), payer()];
  const part = new Part(1_000_000, function* () {
    yield;
    return 1;
  });
  function* work() {
    yield part;
    yield;
    return part.get();
  }
  await Promise.all([payFor(ada, () => runInSlices(work())), payFor(bob, () => runInSlices(work()))]);
  assert.is(ada.paid + bob.paid, WORK.step * (3 + 3 + 2), 'one of them pays for the part');
  const other = new Part(1_000_000, function* () {
    yield;
    return 1;
  });
  const paid = ada.paid;
  await payFor(ada, () => whenPrepared(() => other.get()));
  assert.is(ada.paid - paid, WORK.step * 2);
});

test.run();
