// The grammar of a JSON:API document as a table: all of JSON (RFC 8259). The top level, `data` and
// the members of a record have states of their own, so that finding them costs nothing at other
// bytes.

const expected: string[] = [];

/** A state is the index of its row of 256 cells, so that `state | byte` is the index of a cell. */
const state = (expectation: string): number => (expected.push(expectation) - 1) << 8;

/** What `state` accepts, for messages: "a comma or ]". */
export const expectation = (state: number): string => expected[state >> 8] ?? 'something else';

/** The contents of a string. It is row 0: bytes with NEXT[byte] === 0 are plain contents. */
export const STRING = state('the rest of a string, without control characters');

export const START = state('a JSON object');
const bom = [state('a JSON object'), state('a JSON object')] as const;
const document = state('a JSON object');
const topFirst = state('a member name or }');
export const TOP_NAME = state('a member name');
export const TOP_COLON = state('a colon');
export const TOP_NEXT = state('a comma or }');
/** The value of the top-level member `data`. */
export const DATA = state('an array, an object or null as data');
export const DATA_FIRST = state('a record (an object) or ]');
const dataRecord = state('a record (an object)');
export const DATA_NEXT = state('a comma or ]');
export const RECORD_FIRST = state('a member name or }');
const recordName = state('a member name');
const recordNameStart = state('a member name');
export const RECORD_COLON = state('a colon');
export const RECORD_NEXT = state('a comma or }');
/** The value of a record's member `attributes`, and its members if it is an object. */
export const ATTRIBUTES = state('a value');
export const ATTRIBUTES_FIRST = state('a member name or }');
const attributeName = state('a member name');
const attributeNameStart = state('a member name');
export const ATTRIBUTE_COLON = state('a colon');
export const ATTRIBUTES_NEXT = state('a comma or }');
/** Any other object or array. */
export const OBJECT_FIRST = state('a member name or }');
const objectName = state('a member name');
export const COLON = state('a colon');
export const OBJECT_NEXT = state('a comma or }');
export const ARRAY_FIRST = state('a value or ]');
export const ARRAY_NEXT = state('a comma or ]');
export const VALUE = state('a value');
export const DONE = state('nothing after the document');

export const ESCAPED = state('a character that can be escaped');
const unicode = [1, 2, 3, 4].map(() => state('four hexadecimal digits'));
const minus = state('a digit');
const zero = state('the end of a number');
const integer = state('a digit');
const point = state('a digit');
const fraction = state('a digit');
const exponent = state('a digit or a sign');
const exponentSign = state('a digit');
const exponentDigits = state('a digit');

export const FIRST_ACTION = 0x8000;
export const REFUSE = 0x8000;
export const SKIP_SPACE = 0x8001;
export const BEGIN_NAME = 0x8002;
export const BEGIN_STRING = 0x8003;
const END_STRING = 0x8004;
export const END_NUMBER = 0x8005;
export const END_LITERAL = 0x8006;
export const OPEN_OBJECT = 0x8007;
export const OPEN_ARRAY = 0x8008;
export const CLOSE = 0x8009;
export const BEGIN_TOP_NAME = 0x800a;
export const END_TOP_NAME = 0x800b;
export const END_MEMBER = 0x800c;
export const END_DOCUMENT = 0x800d;
export const OPEN_DATA = 0x800e;
export const OPEN_RECORD = 0x800f;
export const CLOSE_RECORD = 0x8010;
export const BEGIN_RECORD_NAME = 0x8011;
export const END_RECORD_NAME = 0x8012;
export const OPEN_ATTRIBUTES = 0x8013;
export const BEGIN_ATTRIBUTE_NAME = 0x8014;
export const END_ATTRIBUTE_NAME = 0x8015;

/** NEXT[state | byte] is the next state or, from FIRST_ACTION on, an action; for 64 states. */
export const NEXT = new Uint16Array(64 << 8).fill(REFUSE);

/** Fills cells of one row: every character of an entry's key leads to its value. */
function row(state: number, cells: Record<string, number>): void {
  for (const [characters, next] of Object.entries(cells)) {
    for (const character of characters) NEXT[state | character.charCodeAt(0)] = next;
  }
}

const SPACE = ' \t\r\n';
const DIGITS = '0123456789';
const ANY_VALUE = { '"': BEGIN_STRING, '{': OPEN_OBJECT, '[': OPEN_ARRAY, '-': minus, '0': zero };
const AFTER_NUMBER = { [`${SPACE},]}`]: END_NUMBER };

NEXT.fill(STRING, STRING | 0x20, (STRING | 0xff) + 1);
row(STRING, { '"': END_STRING, '\\': ESCAPED });
row(ESCAPED, { '"\\/bfnrt': STRING, u: unicode[0] ?? REFUSE });
for (const [digits, digit] of unicode.entries()) {
  row(digit, { [`${DIGITS}abcdefABCDEF`]: unicode[digits + 1] ?? STRING });
}

row(START, { [SPACE]: document, '{': topFirst, '\xef': bom[0] });
row(bom[0], { '\xbb': bom[1] });
row(bom[1], { '\xbf': document });
row(document, { [SPACE]: document, '{': topFirst });
row(topFirst, { [SPACE]: topFirst, '"': BEGIN_TOP_NAME, '}': DONE });
row(TOP_NAME, { [SPACE]: TOP_NAME, '"': BEGIN_TOP_NAME });
row(TOP_COLON, { [SPACE]: TOP_COLON, ':': END_TOP_NAME });
row(TOP_NEXT, { [SPACE]: TOP_NEXT, ',': END_MEMBER, '}': END_DOCUMENT });
row(DONE, { [SPACE]: DONE });

row(DATA, { [SPACE]: DATA, '[': OPEN_DATA, '{': OPEN_RECORD });
row(DATA_FIRST, { [SPACE]: DATA_FIRST, '{': OPEN_RECORD, ']': CLOSE });
row(dataRecord, { [SPACE]: dataRecord, '{': OPEN_RECORD });
row(DATA_NEXT, { [SPACE]: DATA_NEXT, ',': dataRecord, ']': CLOSE });

row(RECORD_FIRST, { [SPACE]: SKIP_SPACE, '"': recordNameStart, '}': CLOSE_RECORD });
row(recordName, { [SPACE]: SKIP_SPACE, '"': recordNameStart });
// Only a name that begins with these can be "id" or "attributes".
NEXT.fill(BEGIN_NAME, recordNameStart | 0x20, (recordNameStart | 0xff) + 1);
row(recordNameStart, { 'ia\\': BEGIN_RECORD_NAME, '"': COLON });
row(RECORD_COLON, { [SPACE]: SKIP_SPACE, ':': END_RECORD_NAME });
row(RECORD_NEXT, { [SPACE]: SKIP_SPACE, ',': recordName, '}': CLOSE_RECORD });

row(ATTRIBUTES_FIRST, { [SPACE]: SKIP_SPACE, '"': attributeNameStart, '}': CLOSE });
row(attributeName, { [SPACE]: SKIP_SPACE, '"': attributeNameStart });
// The same for "created".
NEXT.fill(BEGIN_NAME, attributeNameStart | 0x20, (attributeNameStart | 0xff) + 1);
row(attributeNameStart, { 'c\\': BEGIN_ATTRIBUTE_NAME, '"': COLON });
row(ATTRIBUTE_COLON, { [SPACE]: SKIP_SPACE, ':': END_ATTRIBUTE_NAME });
row(ATTRIBUTES_NEXT, { [SPACE]: SKIP_SPACE, ',': attributeName, '}': CLOSE });

row(OBJECT_FIRST, { [SPACE]: SKIP_SPACE, '"': BEGIN_NAME, '}': CLOSE });
row(objectName, { [SPACE]: SKIP_SPACE, '"': BEGIN_NAME });
row(COLON, { [SPACE]: SKIP_SPACE, ':': VALUE });
row(OBJECT_NEXT, { [SPACE]: SKIP_SPACE, ',': objectName, '}': CLOSE });
row(ARRAY_FIRST, { ...ANY_VALUE, [SPACE]: SKIP_SPACE, '123456789': integer, ']': CLOSE });
row(ARRAY_NEXT, { [SPACE]: SKIP_SPACE, ',': VALUE, ']': CLOSE });
row(VALUE, { ...ANY_VALUE, [SPACE]: SKIP_SPACE, '123456789': integer });

row(minus, { '0': zero, '123456789': integer });
row(zero, { ...AFTER_NUMBER, '.': point, eE: exponent });
row(integer, { ...AFTER_NUMBER, [DIGITS]: integer, '.': point, eE: exponent });
row(point, { [DIGITS]: fraction });
row(fraction, { ...AFTER_NUMBER, [DIGITS]: fraction, eE: exponent });
row(exponent, { '+-': exponentSign, [DIGITS]: exponentDigits });
row(exponentSign, { [DIGITS]: exponentDigits });
row(exponentDigits, { ...AFTER_NUMBER, [DIGITS]: exponentDigits });

for (const literal of ['true', 'false', 'null']) {
  let from = literal === 'null' ? [VALUE, ARRAY_FIRST, DATA] : [VALUE, ARRAY_FIRST];
  for (const [index, character] of [...literal].entries()) {
    const next = index === literal.length - 1 ? END_LITERAL : state(literal);
    for (const each of from) row(each, { [character]: next });
    from = [next];
  }
}

NEXT.copyWithin(ATTRIBUTES, VALUE, VALUE + 0x100);
row(ATTRIBUTES, { '{': OPEN_ATTRIBUTES });
