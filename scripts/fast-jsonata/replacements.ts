import type { RewriteTable } from './rewrite.ts';

/** For the file `jsonata.js` of jsonata 2.2.2, the version that package.json names. */
export const JSONATA_2_2_2: RewriteTable = {
  sha256: '9c2a35f4d895797f123f65c7f9a4ce16b3a295d209e0f3f225a0c3bae1bd9049',
  repairs: [
    {
      name: 'undefined in an empty list',
      why: 'a group adds undefined to an empty list, which may be one of the tables: it gets its own list',
      pattern: /input\.push\(undefined\);/g,
      by: 'input = [undefined];',
      times: 1,
    },
    {
      name: 'a copy by JSON',
      why: 'the operand before ?? and ?: is copied as JSON, which loses regexes and functions; an empty regex matches without end',
      pattern: /JSON\.parse\(JSON\.stringify\(left\)\)/g,
      by: 'copyOf(left)',
      times: 2,
    },
  ],
  synchronous: [
    {
      name: 'async',
      why: 'a function returns its value',
      pattern: /\basync (?=function|\()/g,
      by: '',
      times: 46,
    },
    {
      name: 'await Promise.all',
      why: 'the list holds values already',
      pattern: /\bawait Promise\.all\b/g,
      by: '',
      times: 2,
    },
    {
      name: 'await',
      why: 'a call has returned its value already',
      pattern: /\bawait /g,
      by: '',
      times: 103,
    },
    {
      name: 'hooks of debuggers',
      why: 'each step looks up three of them, and nothing sets them',
      pattern: /(?:environment|enclosingEnvironment)\.lookup\(Symbol\.for\('jsonata\.__\w+'\)\)/g,
      by: 'undefined',
      times: 3,
    },
    {
      name: 'guardrails',
      why: 'they count the depth and the time, for limits that are not set',
      pattern: /environment\.base\.(?:depth\+\+|guardrails\(\)|depth--);/g,
      by: '',
      times: 3,
    },
    {
      name: 'parallel calls',
      why: 'nothing runs at the same time',
      pattern: /environment\.isParallelCall = idx > 0/g,
      by: '',
      times: 2,
    },
    {
      name: 'results that are promises',
      why: 'no function returns one',
      pattern: /if \(isPromise\(result\)\) \{\s*result = result;\s*\}/g,
      by: '',
      times: 3,
    },
    {
      name: 'frames',
      why: 'frames of one class take less time to make and to look into',
      pattern: /function createFrame\(enclosingEnvironment\) \{[\s\S]*?\n {4}\}\n/g,
      by: 'function createFrame(outer) { return new Frame(outer); }\n',
      times: 1,
    },
    {
      name: 'sequences',
      why: 'their length has no limit here',
      pattern: /exec_env\.createSequence = function\(\) \{[\s\S]*?\n {16}\}\n/g,
      by: 'exec_env.createSequence = fast.createSequence;\n',
      times: 1,
    },
    {
      name: 'isSequence',
      why: 'most values are no list, and reading an attribute of a proxy takes long',
      pattern: /return value\.sequence === true && Array\.isArray\(value\);/g,
      by: 'return Array.isArray(value) && value.sequence === true;',
      times: 1,
    },
    {
      name: 'isFunction',
      why: 'most values are texts and numbers',
      pattern: /return \(\(arg && \(arg\._jsonata_function === true .*/g,
      by: 'return fast.isFunction(arg);',
      times: 1,
    },
    {
      name: 'attributes of a node',
      why: 'all nodes have the same attributes',
      pattern: /Object\.prototype\.hasOwnProperty\.call\(expr, '(predicate|group)'\)/g,
      by: 'expr.$1 !== undefined',
      times: 3,
    },
    {
      name: 'syntax trees',
      why: 'what is known of a node is found out once',
      pattern: /ast = parser\(expr, options && options\.recover\);/g,
      by: 'ast = prepareTree(parser(expr));',
      times: 1,
    },
    {
      name: 'paths',
      why: 'most are names of attributes only',
      pattern: /function evaluatePath\(expr, input, environment\) \{/g,
      by: '$& if (expr.plain !== undefined) return fast.walkPath(expr.plain, input, environment, evaluate);',
      times: 1,
    },
    {
      name: 'steps without lists',
      why: 'a sequence without lists is flat already',
      pattern: /var resultSequence = environment\.base\.createSequence\(\);\s*if\(lastStep/g,
      by: 'if (!result.some(Array.isArray)) return result;\n $&',
      times: 1,
    },
    {
      name: 'flattening',
      why: 'a loop is faster than a function for each element',
      pattern: /\/\/ flatten the sequence\s*Array\.prototype\.forEach\.call\(result, [\s\S]*?\n {12}\}\);/g,
      by: 'resultSequence = fast.flatten(result);',
      times: 1,
    },
    {
      name: 'names',
      why: 'a value that is no list has one attribute of a name',
      pattern: /function evaluateName\(expr, input, environment\) \{/g,
      by: '$& if (!Array.isArray(input)) return fast.attributeOf(input, expr.value);',
      times: 1,
    },
    {
      name: '$lookup',
      why: 'the same',
      pattern: /function lookup\(input, key\) \{/g,
      by: '$& if (!Array.isArray(input)) return fast.attributeOf(input, key);',
      times: 1,
    },
    {
      name: 'objects',
      why: 'most have constant names, and are made for a single value',
      pattern: /function evaluateGroupExpression\(expr, input, environment\) \{/g,
      by: '$& if (expr.constants !== undefined && fast.isSingle(input)) return fast.makeObject(expr, input, environment, evaluate);',
      times: 1,
    },
    {
      name: 'lists',
      why: 'the list is not copied for each element',
      pattern: /result = fn\.append\.call\(focus, result, value\);/g,
      by: 'fast.appendTo(result, value);',
      times: 1,
    },
    {
      name: 'arguments',
      why: 'a loop is faster than a function for each argument',
      pattern:
        /Array\.prototype\.forEach\.call\(proc\.arguments, function \(param, index\) \{\s*env\.bind\(param\.value, args\[index\]\);\s*\}\);\s*if \(typeof/g,
      by: 'for (let at = 0; at < proc.arguments.length; at++) env.bind(proc.arguments[at].value, args[at]); if (typeof',
      times: 1,
    },
    {
      name: 'patterns of signatures',
      why: 'functions are called with arguments of the same types again and again',
      pattern: /var regex = new RegExp\(regexStr\);/g,
      by: '$& var validations = new Map();',
      times: 1,
    },
    {
      name: 'matches of signatures',
      why: 'the same types match in the same way',
      pattern: /var isValid = regex\.exec\(suppliedSig\);/g,
      by: `var validation = validations.get(suppliedSig);
        if (validation === undefined) {
          validation = fast.validationOf(regex.exec(suppliedSig), params);
          validations.set(suppliedSig, validation);
        }
        if (validation.passed !== undefined) return fast.pass(args, validation.passed);
        var isValid = validation.match;`,
      times: 1,
    },
  ],
};
