import { jsonIn, type Path, pathText } from '../text/json-values.ts';
import { refuseKey } from '../text/parsers.ts';

/** One `--set`. */
export interface Assignment {
  readonly path: Path;
  /** The text parsed as JSON, or the text itself when it is not JSON. */
  readonly value: unknown;
  readonly text: string;
}

const STEP = /(?:^|\.)([A-Za-z_$][\w$]*)|\[(\d+|)\]/y;

/** Parses a `--set` as typed, such as `titles[0].title=A new title`. What does not parse as JSON is text. */
export function parseAssignment(text: string): Assignment {
  const at = text.indexOf('=');
  const spelled = text.slice(0, at);
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  for (let end = 0; at > 0 && end < spelled.length; end = STEP.lastIndex) {
    const [, name, index] = STEP.exec(spelled) ?? [];
    // Empty brackets add an item, which -1 stands for.
    if (name !== undefined) path.push(name);
    else if (index !== undefined) path.push(index === '' ? -1 : Number(index));
    else break;
  }
  if (typeof path[0] !== 'string' || path.includes('__proto__') || STEP.lastIndex !== spelled.length) {
    throw new Error(`'${text}' is not an assignment such as titles[0].title=Text or publicationYear=2026`);
  }
  const value = text.slice(at + 1);
  refuseKey(value);
  const json = jsonIn(value);
  return { path, value: json === undefined ? value : json, text: value };
}

/** An assignment as one types it. */
export function assignmentText({ path, text }: Assignment): string {
  return `${pathText(path).replaceAll('[-1]', '[]')}=${text}`;
}
