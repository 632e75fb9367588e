import { usageError } from '../errors.ts';
import { isDoi } from '../text/doi.ts';

const HINT =
  'records are JSON, NDJSON, DataCite XML, CSV or TSV; ' +
  'or fill in a table: doi-cli dois create --template csv > records.csv';

/** Refuses text whose first line begins no record and is no DOI. @param begin in Latin-1. */
export function refuseProse(name: string, begin: string): void {
  const [first = '', second = ''] = begin.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (/^\s*(?:[{["]|\/[/*])/.test(first) || isDoi(first)) return;
  const count = (line: string) => line.match(/[\t;,]/g)?.length ?? 0;
  if (count(first) > 0 && count(first) === count(second)) {
    const columns = 'its first row names no column such as doi or titles[0].title';
    throw usageError(`${name} is perhaps a table, but ${columns}`, "--map 'Title=titles[0].title'");
  }
  if (!/^\s*\d/.test(first)) throw usageError(`${name} is neither JSON, XML nor a table`, HINT);
}
