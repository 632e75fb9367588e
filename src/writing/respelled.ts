import type { Attributes, Comparison, Doi } from '../api/dois.ts';
import { INSTRUCTIONS, READ_ONLY, sameValue } from '../api/record-match.ts';
import type { ParsedRecord } from '../formats/input/record.ts';
import type { Finding } from '../metadata/check.ts';
import { corrected } from '../metadata/corrections.ts';
import { rewritten } from '../metadata/rewriting.ts';
import { isObject, type Path, pathText } from '../text/json-values.ts';
import { abridged, counted, number } from '../text/words.ts';
import { withNumberTexts } from './body.ts';
import type { Change } from './ledger/entry.ts';
import type { Plan } from './plan.ts';

/** A sent value that the service stores in another form. */
interface Respelling extends Change {
  /** The attribute. */
  readonly name: string;
}

/**
 * The sent values that the service has rewritten, without values that are known to be dropped.
 * Members that the service adds, and what only the form of JSON changes, are not among them.
 */
export function respelledIn(
  sent: ParsedRecord,
  { attributes: stored }: Pick<Doi, 'attributes'>,
  compared: Comparison,
  findings: readonly Finding[],
): readonly Respelling[] {
  const dropped = findings.filter((finding) => finding.dropped);
  const isDropped = (path: string) =>
    dropped.some((finding) => path.startsWith(finding.path) || finding.path.startsWith(`${path}[`));
  const [held, written] = compared(stored);
  const { attributes } = corrected(sent.attributes);
  const spelled: Attributes = withNumberTexts(attributes, sent, (json) => json);
  return Object.entries(spelled).flatMap(([name, value]) => {
    const isRewritten = sameValue(held[name], written[name], { exact: false });
    const isValue =
      isRewritten && !INSTRUCTIONS.has(name) && !READ_ONLY.has(name) && name !== 'schemaVersion';
    if (!isValue || !(name in stored)) return [];
    const changes = changesAt([name], value, stored[name]).filter(({ path }) => !isDropped(path));
    return changes.map((change) => ({ name, ...change }));
  });
}

/** The values that the service will rewrite, as far as this is known before they are sent. */
export function expectedRespelling({
  before,
  compared,
  record,
  findings,
}: Plan): readonly Respelling[] | undefined {
  if (compared === undefined) return undefined;
  const sent = record();
  const kept = withNumberTexts(corrected(sent.attributes).attributes, sent);
  const stored = rewritten(kept, before?.attributes);
  const attributes = { ...before?.attributes, ...stored };
  return respelledIn(sent, { attributes }, compared, findings);
}

function changesAt(path: Path, sent: unknown, stored: unknown): readonly Change[] {
  if ((sent ?? '') === '' || sameValue(stored, sent, { exact: false, spelling: true })) return [];
  if (path.at(-1) === 'rightsIdentifier' && String(sent).toLowerCase() === stored) return [];
  const isList = Array.isArray(sent) && Array.isArray(stored) && sent.length === stored.length;
  if (!isList && !(isObject(sent) && isObject(stored)))
    return [{ path: pathText(path), before: sent, after: stored }];
  const steps: readonly (string | number)[] = isList ? [...sent.keys()] : Object.keys(sent);
  const at = (value: unknown, step: string | number) =>
    (value as Readonly<Record<string | number, unknown>>)[step];
  return steps.flatMap((step) => changesAt([...path, step], at(sent, step), at(stored, step)));
}

/** The respelled values of a run: for each attribute one example, and how often there were any. */
export class RespelledValues {
  readonly #byName = new Map<
    string,
    { readonly first: Respelling; values: number; records: number }
  >();

  /** Adds the values of a record. */
  add(respelled: readonly Respelling[] = []): void {
    const names = new Set<string>();
    for (const first of respelled) {
      const { name } = first;
      const entry = this.#byName.get(name) ?? { first, values: 0, records: 0 };
      entry.values += 1;
      if (!names.has(name)) entry.records += 1;
      names.add(name);
      this.#byName.set(name, entry);
    }
  }

  /** A sentence for each attribute. */
  lines(): readonly string[] {
    return [...this.#byName.values()].map(({ first, values, records }) => {
      const { path, before, after } = first;
      const others = values > records ? `, ${number(values)} values` : '';
      const where = records + values > 2 ? ` (in ${counted(records, 'record')}${others})` : '';
      const value = Array.isArray(before)
        ? `${shown(before)} of ${path}`
        : `${path} ${shown(before)}`;
      return `the service stores ${value} as ${shown(after)}${where}`;
    });
  }
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return counted(value.length, 'item');
  return abridged(JSON.stringify(value), 100);
}
