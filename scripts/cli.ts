#!/usr/bin/env node
import { runGamedata } from './commands/program.ts';

process.exitCode = await runGamedata(process.argv.slice(2));
