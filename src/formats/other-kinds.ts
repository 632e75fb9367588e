import { usageError } from '../errors.ts';
import { isDoi } from '../text/doi.ts';
import { shellWord } from '../text/shell-word.ts';

const TEMPLATE = 'or fill in a table: doi-cli dois create --template csv > records.csv';
const TAKEN = 'records are JSON, NDJSON, DataCite XML, CSV or TSV';

/** Files that contain no records, by their first characters, and what to do instead. */
const KINDS: readonly (readonly [begin: RegExp, kind: string, hint: string])[] = [
  [/^%PDF-/, 'a PDF', `${TAKEN}; ${TEMPLATE}`],
  [/^\{\\rtf/, 'rich text of a word processor', `save a table as "CSV UTF-8"; ${TEMPLATE}`],
  [/^@\w+\s*[{(]/, 'BibTeX', `${TAKEN}; ${TEMPLATE}`],
  [/^TY {2}- /, 'RIS', `${TAKEN}; ${TEMPLATE}`],
  [/^<(?:!doctype html|html)\b/i, 'a web page', `${TAKEN}; ${TEMPLATE}`],
  [/^PAR1/, 'Parquet', `convert it: duckdb -c "COPY (FROM '<file>') TO 'records.csv'"`],
  [/^[^\n]*\0/, 'not text', TAKEN],
];

/** Refuses a file that is known not to contain records. @param begin in Latin-1. */
export function refuseOtherKind(name: string, begin: string): void {
  const other = KINDS.find(([pattern]) => pattern.test(begin));
  if (other === undefined) return;
  const [, kind, hint] = other;
  throw usageError(`${name} is ${kind}`, hint.replace('<file>', name));
}

/** Refuses text in which no line begins a record or is a DOI. @param begin in Latin-1. */
export function refuseProse(name: string, begin: string): void {
  const lines = begin.split(/\r?\n/).filter((line) => line.trim() !== '');
  const [first = '', second = ''] = lines;
  const message = `${name} is neither JSON, XML nor a table`;
  if (YAML_NAME.test(name) || (YAML_BEGIN.test(first) && !isDoi(first))) {
    const file = name === 'stdin' ? '' : ` . ${shellWord(name)}`;
    throw usageError(`${message}, but probably YAML`, `convert it: yq -o=json${file}`);
  }
  if (lines.some((line) => /^\s*[{["]|^\s*\/[/*]/.test(line) || isDoi(line))) return;
  const count = (line: string) => line.match(/[\t;,]/g)?.length ?? 0;
  if (count(first) > 0 && count(first) === count(second)) {
    const columns = 'its first row names no column such as doi or titles[0].title';
    throw usageError(`${name} is perhaps a table, but ${columns}`, "--map 'Title=titles[0].title'");
  }
  if (lines.some((line) => /^\s*\d/.test(line))) return;
  throw usageError(message, `${TAKEN}; ${TEMPLATE}`);
}

const YAML_NAME = /\.(?:ya?ml|cff)$/i;
const YAML_BEGIN = /^(?:---|[\w-]+:(?:\s|$))/;
