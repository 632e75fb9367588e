import { usageError } from '../errors.ts';
import { parseLandingPage } from '../metadata/landing-page.ts';
import { typesAt } from '../metadata/schema.ts';
import { refuseKey } from '../text/api-key.ts';
import { type JsonObject, jsonIn, type Path, pathText } from '../text/json-values.ts';

/** A `--set` option. */
export interface Assignment {
  readonly path: Path;
  readonly value: unknown;
  readonly text: string;
}

const EXAMPLE = 'titles[0].title=Text or publicationYear=2026';
const STEP = /(?:^|\.)([A-Za-z_$][\w$]*)|\[(\d+|)\]/y;

/** Parses a `--set`, such as `titles[0].title=A new title`. */
export function parseAssignment(text: string): Assignment {
  const at = text.indexOf('=');
  const spelled = text.slice(0, at);
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  for (let end = 0; at > 0 && end < spelled.length; end = STEP.lastIndex) {
    const [, name, index] = STEP.exec(spelled) ?? [];
    // Empty brackets add an item; the path contains -1 for them.
    if (name !== undefined) path.push(name);
    else if (index !== undefined) path.push(index === '' ? -1 : Number(index));
    else break;
  }
  if (
    typeof path[0] !== 'string' ||
    path.includes('__proto__') ||
    STEP.lastIndex !== spelled.length
  ) {
    if (/^["'“‘„]/.test(text))
      throw new Error(`${text} begins with a quote that the shell keeps: write --set "path=value"`);
    const problem = at < 0 ? 'has no value: write it as one word,' : 'is not an assignment';
    throw new Error(`'${text}' ${problem} such as ${EXAMPLE}`);
  }
  const typed = text.slice(at + 1);
  refuseKey(typed);
  const value = parseValue(path, typed);
  if (pathText(path) === 'url' && String(value).trim() !== '') parseLandingPage(String(value));
  return { path, value, text: typed };
}

/**
 * The JSON in a text, or the text itself: `version=2` sets a text, because a version is text. JSON
 * whose quotes a shell has removed is refused: it would be stored as a name.
 */
function parseValue(path: Path, text: string): unknown {
  const json = jsonIn(text);
  const value = json === undefined ? text : json;
  const types = typesAt(path);
  const isText = types.includes('string');
  if (typeof value === 'number' || typeof value === 'boolean')
    return isText && !types.some((type) => /number|integer|boolean/.test(type)) ? text : value;
  const isBracketed = typeof value === 'string' && /^\s*'?(\[.*\]|\{.*\})'?\s*$/s.test(value);
  if (!isBracketed || (isText && !types.includes('object'))) return value;
  const remedy = `if the shell removed its quotes, write each as \\", or set a text: ${EXAMPLE}`;
  throw new Error(`${text} is not JSON: ${remedy}`);
}

/** An assignment as it is typed. */
export function assignmentText({ path, text }: Assignment): string {
  return `${pathText(path).replaceAll('[-1]', '[]')}=${text}`;
}

type Json = Record<string | number, unknown>;

/** The attributes that assignments change, each complete, because an update replaces all of it. */
export function assign(
  attributes: JsonObject,
  assignments: readonly Assignment[],
): Record<string, unknown> {
  const touched: Record<string, unknown> = {};
  for (const { path, value } of assignments) {
    const [name = ''] = path;
    if (!Object.hasOwn(touched, name)) {
      touched[name] = Object.hasOwn(attributes, name)
        ? structuredClone(attributes[name])
        : undefined;
    }
    set(touched, path, value);
  }
  return touched;
}

function set(root: Json, path: Path, value: unknown): void {
  let holder = root;
  for (const [depth, step] of path.entries()) {
    const here = path.slice(0, depth);
    const key = Array.isArray(holder) && step === -1 ? holder.length : step;
    if (typeof step === 'number' && !Array.isArray(holder)) {
      throw usageError(
        `--set: ${pathText(here)} is not a list`,
        `set it whole: --set '${pathText(here)}=[…]'`,
      );
    }
    if (Array.isArray(holder) && (typeof key !== 'number' || key > holder.length)) {
      const count = holder.length === 1 ? '1 item' : `${holder.length} items`;
      throw usageError(
        `--set: ${pathText(here)} is a list of ${count}`,
        `${pathText(here)}[] adds one`,
      );
    }
    if (depth === path.length - 1) {
      holder[key] = value;
      return;
    }
    const existing = Object.hasOwn(holder, key) ? holder[key] : undefined;
    const inner = existing ?? (typeof path[depth + 1] === 'number' ? [] : {});
    if (typeof inner !== 'object') {
      throw usageError(
        `--set: ${pathText([...here, step])} holds ${JSON.stringify(inner)}, not an object`,
      );
    }
    holder[key] = inner;
    holder = inner as Json;
  }
}
