#!/usr/bin/env node
import { runGamedata } from './commands/program.ts';
import { DOORS, DOORS_MODULE } from './doors.ts';

process.exitCode = await runGamedata(process.argv.slice(2), DOORS, DOORS_MODULE);
