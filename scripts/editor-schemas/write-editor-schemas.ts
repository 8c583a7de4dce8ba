import { writeFileSync } from 'node:fs';
import { openParts } from '../workers/parts.ts';
import { DOORS, DOORS_MODULE } from '../doors.ts';
import { renderEditorSchemas } from './editor-schemas.ts';

await openParts(DOORS, DOORS_MODULE);
for (const [file, text] of Object.entries(await renderEditorSchemas())) {
  writeFileSync(`data/${file}`, text);
}
