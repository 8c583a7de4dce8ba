import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { PatchData } from '../../model/page-data.ts';
import type { Browser } from '../browser.ts';
import { KeyBox } from '../key-box.tsx';
import { PatchChanges } from './patch-changes.tsx';
import { ReplyProblem } from '../reply-state.tsx';
import { PRO_PATCH } from '../../model/patch-notes.ts';
import { type MeReply, useKey, useLastStep, useReply } from '../use-reply.ts';

/** Properties of `Patch`. */
export interface PatchProps {
  data: PatchData;
  /** Undefined on a server. */
  browser?: Browser | undefined;
}

/** Everything that a build changed, for Pro keys. For other keys no request is counted: only their tier is asked for. */
export function Patch({ data, browser }: PatchProps): JSX.Element {
  const [key, keepKey] = useKey(browser);
  const build = useLastStep(browser, data.build);
  const asked = useReply<MeReply>(browser, '/api/me', key);
  const tier = asked.reply?.body?.tier;
  const isPro = tier === 'pro' && key !== undefined;
  useEffect(() => {
    if (isPro)
      browser?.show(PRO_PATCH, <PatchChanges data={{ ...data, build }} browser={browser} apiKey={key} />);
  }, [isPro, build]);
  const isRefused = asked.reply?.status === 401;
  return (
    <section class="patch" aria-labelledby="every-change">
      <h2 id="every-change">Old and new numbers</h2>
      <KeyBox
        purpose={purposeOf(data)}
        hasKey={key !== undefined && !isRefused}
        problem={isRefused ? asked.reply?.problem : undefined}
        ways={<ProWays join={data.join} />}
        onKey={browser && keepKey}
      />
      <ReplyProblem asked={asked} />
      {tier === 'free' && (
        <p class="notice">
          The key of this tab is free. With Pro, this page shows each value before and after:{' '}
          <JoinLink join={data.join} />.
        </p>
      )}
    </section>
  );
}

function purposeOf({ build, delayHours }: PatchData): string {
  return build === ''
    ? `In its first ${delayHours} hours, a build is for Pro keys only.`
    : 'With a Pro key, this page shows each value before and after.';
}

function ProWays({ join }: Pick<PatchData, 'join'>) {
  return (
    <>
      With a Pro account, <a href="/account">sign in</a> in this tab, or use your key here. Not a member yet?{' '}
      <JoinLink join={join} />
    </>
  );
}

function JoinLink({ join }: Pick<PatchData, 'join'>) {
  return join ? <a href={join.address}>Join on {join.name}</a> : <a href="/#plans">What Pro has</a>;
}
