import type { ParsedRecord } from '../formats/input/record.ts';
import { refuseOtherRow } from './edits.ts';

/**
 * Makes the check of a file whose rows become new records, perhaps with other DOIs than exported.
 * It refuses rows whose cells belong to another record, as {@link refuseOtherRow} does.
 */
export function newRowCheck(): (record: ParsedRecord) => void {
  const exportedDois = new Set<string>();
  return (record) => {
    const before = record.origin?.exported?.doi.toLowerCase();
    if (before === undefined) return;
    const doi = record.doi?.toLowerCase() ?? '';
    // If DOIs were sorted alone, at least one row has the exported DOI of an earlier row.
    const isMoved = doi !== before && exportedDois.has(doi);
    exportedDois.add(before);
    refuseOtherRow(record, !isMoved && (suffixOf(doi) === suffixOf(before) || isSameWork(record)));
  };
}

const suffixOf = (doi: string) => doi.slice(doi.indexOf('/'));

/** Whether a row has its exported titles or URL. */
function isSameWork({ row, origin }: ParsedRecord): boolean {
  const before = origin?.exported?.attributes ?? {};
  const edited = row?.applyTo(before).attributes ?? {};
  return ['titles', 'url'].some(
    (name) => [before[name] ?? []].flat().length > 0 && !(name in edited),
  );
}
