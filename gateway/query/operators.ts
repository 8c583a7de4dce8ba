/** An operator of a filter `attribute[operator]=value`, as parsers, documents, clients and pages use it. */
export interface OperatorInfo {
  /** What a person reads: `at least`. */
  label: string;
  /** The attributes that it works on; `time` is a text whose values are all dates or times. */
  types: readonly ('string' | 'number' | 'boolean' | 'time')[];
  /** What its value is: one of the attribute's own, any of several of these, a part of a text, or true or false. */
  value: 'own' | 'list' | 'text' | 'boolean';
  description: string;
}

/** The one list of operators. Without an operator, a filter means equality with any of its values. */
export const OPERATORS = {
  gte: { label: 'at least', types: ['number', 'time'], value: 'own', description: 'The value or more.' },
  gt: { label: 'more than', types: ['number', 'time'], value: 'own', description: 'More than the value.' },
  lte: { label: 'at most', types: ['number', 'time'], value: 'own', description: 'The value or less.' },
  lt: { label: 'less than', types: ['number', 'time'], value: 'own', description: 'Less than the value.' },
  ne: {
    label: 'is not',
    types: ['string', 'number', 'boolean', 'time'],
    value: 'list',
    description: 'Any other value, or none.',
  },
  contains: {
    label: 'contains',
    types: ['string', 'time'],
    value: 'text',
    description: 'A text that contains the value; case, accents and width do not matter.',
  },
  exists: {
    label: 'exists',
    types: ['string', 'number', 'boolean', 'time'],
    value: 'boolean',
    description: 'Whether the record has the attribute.',
  },
} as const satisfies Record<string, OperatorInfo>;

export type Operator = keyof typeof OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as Operator[];
