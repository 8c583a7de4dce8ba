import { runCampaigns } from '../campaigns/run-campaigns.ts';
import { campaign as acknowledgedCommits } from './acknowledged-commits.ts';
import { HEADINGS, isSound } from './figures.ts';
import { campaign as fullDisks } from './full-disks.ts';
import { campaign as interruptedBuilds } from './interrupted-builds.ts';
import { campaign as killedDatabases } from './killed-databases.ts';
import { campaign as killedGateways } from './killed-gateways.ts';

await runCampaigns({
  name: 'faults',
  about:
    'Repeatedly causes faults in the real programs, and counts what must not happen. All columns after "tried" must be 0.',
  headings: HEADINGS,
  isSound,
  campaigns: [acknowledgedCommits, interruptedBuilds, fullDisks, killedGateways, killedDatabases],
});
