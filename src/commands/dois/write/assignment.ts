import type { Path } from '../../../text/json-positions.ts';

/** One `--set`. */
export interface Assignment {
  readonly path: Path;
  /** What the value is as JSON; the text itself where that is none. */
  readonly value: unknown;
  readonly text: string;
}

const STEP = /(?:^|\.)([A-Za-z_$][\w$]*)|\[(\d+|)\]/y;

/**
 * A `--set` as typed: `titles[0].title=A new title`, `publicationYear=2026`, `subjects[]={"subject":"one more"}`. What
 * is JSON is taken as such, anything else as text.
 */
export function parseAssignment(text: string): Assignment {
  const at = text.indexOf('=');
  const spelled = text.slice(0, at);
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  for (let end = 0; at > 0 && end < spelled.length; end = STEP.lastIndex) {
    const [, name, index] = STEP.exec(spelled) ?? [];
    // An empty pair of brackets is the place behind the last item.
    if (name !== undefined) path.push(name);
    else if (index !== undefined) path.push(index === '' ? -1 : Number(index));
    else break;
  }
  if (typeof path[0] !== 'string' || path.includes('__proto__') || STEP.lastIndex !== spelled.length) {
    throw new Error(`'${text}' is not an assignment such as titles[0].title=Text or publicationYear=2026`);
  }
  const value = text.slice(at + 1);
  return { path, value: jsonOrText(value), text: value };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
