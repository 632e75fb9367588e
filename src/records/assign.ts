import { usageError } from '../errors.ts';
import { typesAt } from '../metadata/schema.ts';
import { type JsonObject, type Path, pathText } from '../text/json-values.ts';
import type { Assignment } from './assignment.ts';

type Json = Record<string | number, unknown>;

/** The attributes that assignments change, with all their values: an update replaces them whole. */
export function assign(attributes: JsonObject, assignments: readonly Assignment[]): Record<string, unknown> {
  const touched: Record<string, unknown> = {};
  for (const assignment of assignments) {
    const { path } = assignment;
    const [name = ''] = path;
    if (!Object.hasOwn(touched, name)) {
      touched[name] = Object.hasOwn(attributes, name) ? structuredClone(attributes[name]) : undefined;
    }
    set(touched, path, typedValue(assignment));
  }
  return touched;
}

/** The value in the type of the schema: `version=2` means the text, because a version is text. */
function typedValue({ path, value, text }: Assignment): unknown {
  if (typeof value !== 'number' && typeof value !== 'boolean') return value;
  const types = typesAt(path);
  return types.includes('string') && !types.some((type) => ['number', 'integer', 'boolean'].includes(type))
    ? text
    : value;
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
      throw usageError(`--set: ${pathText(here)} is a list of ${count}`, `${pathText(here)}[] adds one`);
    }
    if (depth === path.length - 1) {
      holder[key] = value;
      return;
    }
    const own = Object.hasOwn(holder, key) ? holder[key] : undefined;
    const inner = own ?? (typeof path[depth + 1] === 'number' ? [] : {});
    if (typeof inner !== 'object') {
      throw usageError(`--set: ${pathText([...here, step])} holds ${JSON.stringify(inner)}, not an object`);
    }
    holder[key] = inner;
    holder = inner as Json;
  }
}
