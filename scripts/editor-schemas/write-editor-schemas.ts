import { writeFileSync } from 'node:fs';
import { renderEditorSchemas } from '../read/editor-schemas.ts';

for (const [file, text] of Object.entries(renderEditorSchemas())) {
  writeFileSync(`data/${file}`, text);
}
