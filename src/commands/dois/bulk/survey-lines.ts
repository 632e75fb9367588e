import type { Context } from '../../../cli/context.ts';
import type { LineIndex } from '../../../records/line-index.ts';
import { type Survey, survey } from '../../../records/survey.ts';
import { counted } from '../../../text/words.ts';
import type { BulkInput } from './input.ts';
import { doiOfLine, type LineOptions, namesDois } from './line-record.ts';

/** A file of lines, and how to read them. */
export interface Surveyed {
  readonly context: Context;
  readonly input: BulkInput;
  readonly lines: LineOptions;
}

/** Sees each line while all of them are checked. */
interface Observer {
  /** @param doi as the line names it. */
  see(line: number, index: LineIndex, doi: string | undefined): void;
}

/**
 * Checks all lines. A file may name each DOI only once when it creates them; a list of DOIs is worked off without
 * those that come again.
 */
export async function surveyLines(
  { context, input, lines }: Surveyed,
  index: LineIndex,
  observer?: Observer,
): Promise<Survey> {
  const doiOf = (text: string, line: number) => {
    const doi = doiOfLine(text, line, lines);
    observer?.see(line, index, doi);
    // Several updates of one DOI are carried out one after the other.
    return lines.command === 'create' || namesDois(lines) ? doi : undefined;
  };
  const skipsRepeats = namesDois(lines);
  const found = await survey({ input, index, signal: context.host.signal, doiOf, skipsRepeats });
  const again = found.repeats.size;
  if (again > 0) {
    const text = `${counted(again, 'line')} ${again === 1 ? 'repeats' : 'repeat'} the DOI of an earlier one`;
    context.messages.note(`${input.name}: ${text}, and ${again === 1 ? 'is' : 'are'} left out`);
  }
  return found;
}
