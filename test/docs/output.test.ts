import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkOutput } from '../support/docs/output.ts';

const output = suite('the comparison of outputs');

const PLACE = 'a.md:1';

function differs(language: string, printed: string, shown: string): void {
  let message = '';
  try {
    checkOutput(language, printed, shown, PLACE);
  } catch (error) {
    message = (error as Error).message;
  }
  assert.is(message, PLACE);
}

output('compares text line by line, without white space at line ends', () => {
  checkOutput('text', 'a  \r\nb\n', 'a\nb\n', PLACE);
  differs('text', 'a\nb\n', 'a\n');
  differs('text', 'a\n', 'a\nb\n');
  differs('text', 'a.b\n', 'a-b\n');
  differs('text', 'aXb\n', 'a.b\n');
});

output('matches … with anything within a line', () => {
  checkOutput('text', 'took 1.5 s\n', 'took … s\n', PLACE);
  differs('text', 'took 1.5\nlonger s\n', 'took … s\n');
});

output('matches a line of … with any number of lines, also with none', () => {
  for (const between of ['', 'x\n', 'x\n\ny\n']) checkOutput('text', `a\n${between}b\n`, 'a\n…\nb\n', PLACE);
  differs('text', 'a\nx\n', 'a\n…\nb\n');
  differs('text', 'x\na\nb\n', 'a\n…\nb\n');
});

output('compares JSON values, not their white space', () => {
  checkOutput('json', '{"a":[1,{"b":null}]}', '{ "a": [1, { "b": null }] }\n', PLACE);
  differs('json', '{"a":1}', '{"a":2}');
  differs('json', '{"a":1,"b":2}', '{"a":1}');
  differs('json', '{"a":1}', '{"a":1,"b":"…"}');
  differs('json', '[1,2]', '[1]');
});

output('matches … in JSON with a value, a part of a text, or the rest of a list', () => {
  checkOutput('json', '{"a":{"b":1}}', '{"a":"…"}', PLACE);
  checkOutput('json', '{"a":"no x, expected y"}', '{"a":"no x, …"}', PLACE);
  checkOutput('json', '[1,2,3]', '[1,"…"]', PLACE);
  checkOutput('json', '[1]', '[1,"…"]', PLACE);
  differs('json', '[2,3]', '[1,"…"]');
  differs('json', '{"a":"no z"}', '{"a":"no x, …"}');
});

output.run();
