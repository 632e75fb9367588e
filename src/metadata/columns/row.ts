import { isDeepStrictEqual } from 'node:util';
import { READ_ONLY } from '../../api/record-match.ts';
import type { JsonObject } from '../../text/json-values.ts';
import { type Finding, findingAt } from '../findings.ts';
import { CLEAR, mangled, newText, says } from './cell.ts';
import { type Cell, type Column, EXPORTED, OUTPUT_ONLY } from './column.ts';
import { type Change, mergedList } from './list.ts';
import { textOf, typedValue, valueIn, withValue } from './value.ts';

interface RowChanges {
  /** The attributes that differ from the record, complete with what the row does not say about them. */
  readonly attributes: JsonObject;
  readonly findings: readonly Finding[];
}

/**
 * Puts what the cells of a row say differently into a record. @param stored with publisher and affiliations
 * as objects; undefined for a new record. @param event that may have changed the state since.
 */
export function rowChanges(
  cells: readonly Cell[],
  stored: JsonObject | undefined,
  event?: string,
): RowChanges {
  const roots = new Map<string, Cell[]>();
  const findings: Finding[] = [];
  for (const one of cells) {
    const root = String(one.column.path[0]);
    if (root === 'created') findings.push(...otherRecord(one, stored?.[root]));
    if (root === 'doi' || root === EXPORTED || OUTPUT_ONLY.includes(root)) continue;
    if (stored !== undefined && READ_ONLY.has(root) && root !== 'state') continue;
    const own = roots.get(root);
    if (own === undefined) roots.set(root, [one]);
    else own.push(one);
  }
  const attributes: Record<string, unknown> = {};
  const change: Change = (value, one, from = 1) => changed(value, one, from, findings);
  for (const [root, own] of roots) {
    const before = stored?.[root];
    const isList = own.some(({ column: { path } }) => typeof path[1] === 'number');
    const after = isList
      ? mergedList(before, own, change, findings)
      : own.reduce((v, one) => change(v, one), before);
    if (after !== before) attributes[root] = after;
  }
  if (stored !== undefined && 'state' in attributes) {
    const { state } = attributes;
    delete attributes['state'];
    if (event === undefined && !('event' in attributes)) findings.push(stateFinding(stored['state'], state));
  }
  if (stored === undefined) {
    for (const [name, value] of Object.entries(attributes)) if (value === null) delete attributes[name];
  }
  return { attributes, findings };
}

function changed(value: unknown, { column, cell }: Cell, from: number, findings: Finding[]): unknown {
  if (cell === '') return value;
  const path = column.path.slice(from);
  const root = String(column.path[0]);
  const before = valueIn(value, path, column.rest);
  if (says(cell, textOf(before))) return value;
  const text = newText(cell);
  const put = (after: unknown) =>
    column.rest ? withOthers(value, path, after) : withValue(value, path, after, root);
  if (cell === CLEAR) return column.rest ? put([]) : cleared(value, path, before, root);
  // Without checks, the text is sent as it is.
  const refuse = (message: string) => {
    findings.push({ ...findingAt('error', column.path, { message, value: cell }), path: column.name });
    return put(text);
  };
  const problem = mangled(cell, root === 'dates' && path.at(-1) === 'date');
  if (problem !== undefined) return refuse(problem);
  try {
    const after = typedValue(text, column);
    return isSame(before, after, path.at(-1)) ? value : put(after);
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function isSame(before: unknown, after: unknown, name: string | number | undefined): boolean {
  if (typeof after === 'object') return isDeepStrictEqual(before, after);
  return (name === 'orcid' || name === 'ror') && bare(after) === bare(before);
}

const bare = (value: unknown): string =>
  String(value)
    .replace(/^(?:https?:\/\/)?(?:orcid|ror)\.org\//i, '')
    .toLowerCase();

function cleared(value: unknown, path: Column['path'], before: unknown, root: string): unknown {
  if (before === undefined || before === null) return value;
  // An affiliation without its name is none.
  const isName = path.at(-1) === 'name' && typeof path.at(-2) === 'number';
  return withValue(value, isName ? path.slice(0, -1) : path, null, root);
}

/** A value with a list in place of the items from an index on. */
function withOthers(value: unknown, path: Column['path'], others: unknown): unknown {
  const list = path.slice(0, -1);
  const before = valueIn(value, list);
  const first = (Array.isArray(before) ? before : [before]).slice(0, Number(path.at(-1)));
  return withValue(value, list, [...first.filter((item) => item !== undefined), ...[others].flat()]);
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** A record keeps its time of creation: another one is a sign that columns were sorted or moved apart. */
function otherRecord({ column, cell }: Cell, created: unknown): readonly Finding[] {
  const [given, own] = [cell.trim(), String(created)].map((text) =>
    MOMENT.test(text) ? Date.parse(text) : undefined,
  );
  if (given === undefined || own === undefined || given === own) return [];
  const message = `is not that of the record, ${String(created)}: the row may belong to another DOI; empty the cell if it does not`;
  return [findingAt('error', column.path, { message, value: cell })];
}

function stateFinding(before: unknown, value: unknown): Finding {
  const message = `is not the state of the record, ${String(before)}, which only an event changes: empty the cell, or use --event`;
  return findingAt('error', ['state'], { message, value });
}
