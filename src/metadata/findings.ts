import { lineAt, type Path, type Place, placeAt } from '../text/json-places.ts';
import { visible } from '../text/redact.ts';

/** Something that is wrong with a record, or may be. */
export interface Finding {
  /** What the service would refuse or drop is an error; what it takes, though the schema does not, is a warning. */
  readonly severity: 'error' | 'warning';
  /** Where, below the attributes: `creators[0].nameIdentifiers[0].nameIdentifier`. */
  readonly path: string;
  readonly steps: Path;
  /** What is wrong, to be read behind the path. */
  readonly message: string;
  /** What stands there; undefined where something is missing. */
  readonly value?: unknown;
  /** All that may stand there, where that is a list. */
  readonly allowed?: readonly string[];
  /** What was probably meant. */
  readonly suggestion?: string;
  /** The line of the file, from 1. */
  readonly line?: number;
}

/** The text of a record and where its values stand in it. */
interface Located {
  readonly text: string;
  readonly places: Place;
  /** The path of the attributes within the text. */
  readonly at: Path;
  /** The line of the file on which the text begins, from 1. */
  readonly line: number;
}

/** Findings with their lines; what is missing has the line of the object that it is missing from. */
export function located(findings: readonly Finding[], record: Located): readonly Finding[] {
  return findings.map((finding) => {
    let place: Place | undefined;
    for (let depth = finding.steps.length; place === undefined && depth >= 0; depth -= 1) {
      place = placeAt(record.places, [...record.at, ...finding.steps.slice(0, depth)]);
    }
    return { ...finding, line: record.line + lineAt(record.text, place?.start ?? 0) - 1 };
  });
}

const LONGEST_VALUE = 60;

/** A finding as one line for people, without its place in the file. */
export function findingText({ severity, path, message, value, allowed, suggestion }: Finding): string {
  const shown = value === undefined || typeof value === 'object' ? '' : `${short(JSON.stringify(value))} `;
  const meant = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  const list =
    allowed === undefined ? '' : `${meant === '' ? '; allowed:' : ' Allowed:'} ${allowed.join(', ')}`;
  // A second line in what was found could pass for one of ours.
  return visible(`${severity}: ${path === '' ? '' : `${path}: `}${shown}${message}${meant}${list}`);
}

function short(text: string): string {
  const letters = [...text];
  return letters.length > LONGEST_VALUE ? `${letters.slice(0, LONGEST_VALUE).join('')}…` : text;
}
