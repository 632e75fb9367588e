import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, jsonIn, valueAt } from '../../../../src/text/json-values.ts';
import type { RunResult } from '../../../helpers/run.ts';
import type { Received } from './recorder.ts';

interface Reporting {
  /** Whether requests are sorted, because several jobs send them in any order. */
  readonly isUnordered: boolean;
  /** The files of the case, which requests may hold in base 64. */
  readonly sources: readonly string[];
}

/** What a run sent, printed and ended with. @param result undefined for a run that was killed. */
export function runText(
  head: string,
  received: readonly Received[],
  result: RunResult | undefined,
  { isUnordered, sources }: Reporting,
): string {
  const requests = received.map((request) => requestText(request, sources));
  if (isUnordered) requests.sort();
  const printed =
    result === undefined
      ? 'killed\n'
      : [
          prefixed('out', withoutRecords(result.stdout, received)),
          prefixed('err', result.stderr),
          `exit ${result.code}\n`,
        ].join('');
  return `$ doi-cli ${head}\n${requests.join('')}${printed}`;
}

function prefixed(name: string, text: string): string {
  if (text === '') return '';
  const lines = text.endsWith('\n')
    ? text.slice(0, -1).split('\n')
    : `${text}<no line break>`.split('\n');
  return lines.map((line) => `${`${name}| ${line}`.trimEnd()}\n`).join('');
}

function requestText({ method, path, body, answer }: Received, sources: readonly string[]): string {
  const head = `  ${method} ${path} -> ${answer}\n`;
  if (body === '') return head;
  const document = jsonIn(body);
  const data = isObject(document) && isObject(document['data']) ? document['data'] : undefined;
  if (data === undefined) return `${head}    ${body}\n`;
  const { type, attributes = {}, ...others } = data;
  const members = {
    ...others,
    ...(type === 'dois' ? {} : { type }),
    ...(attributes as JsonObject),
  };
  const lines = Object.entries(members).map(
    ([name, value]) => `    ${name}: ${valueText(value, sources)}\n`,
  );
  return head + lines.sort().join('');
}

function valueText(value: unknown, sources: readonly string[]): string {
  if (typeof value !== 'string' || value.length < 100) return JSON.stringify(value);
  const source = sources.find((path) => value === readFileSync(path).toString('base64'));
  if (source !== undefined) return `${source} in base 64`;
  const decoded = Buffer.from(value, 'base64').toString();
  return decoded.startsWith('<') ? `${JSON.stringify(decoded)} in base 64` : JSON.stringify(value);
}

/** What was printed, with a name for each record that is as an answer of the service had it. */
function withoutRecords(stdout: string, received: readonly Received[]): string {
  return received.reduce((text, { method, text: answer }) => {
    const data = valueAt(jsonIn(answer), ['data']);
    if (!isObject(data) || data['type'] !== 'dois') return text;
    const name = `the record ${data['id']} of the answer to the ${method}`;
    return text
      .replaceAll(`${JSON.stringify(data, undefined, 2)}\n`, `<${name}, indented>\n`)
      .replaceAll(`${JSON.stringify(data)}\n`, `<${name}, on one line>\n`);
  }, stdout);
}

/**
 * The names of the files that the runs have left in a folder. @param known the files of the case.
 */
export function filesText(dir: string, known: readonly string[]): string {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !known.some((name) => path === join(dir, name)));
  return names.length === 0 ? '' : `left: ${names.sort().join(' ')}\n`;
}

/** The records that the service holds, one a line. @param matters further attributes to show. */
export function recordsText(
  records: readonly JsonObject[],
  matters: readonly string[],
  normalised: (text: string) => string,
): string {
  const lines = records.map((record) => {
    const { state, titles, url, ...attributes } = record['attributes'] as JsonObject;
    const title = valueAt(titles, [0, 'title']) ?? null;
    const client = valueAt(record, ['relationships', 'client', 'data', 'id']);
    const more = matters.map((name) => ` ${name}=${JSON.stringify(attributes[name] ?? null)}`);
    const text = `${JSON.stringify(title)} ${record['id']} ${client} ${state} ${url ?? 'without URL'}${more.join('')}`;
    return `held: ${text}\n`;
  });
  // By title first, so that suffixes get their numbers in the same order each time.
  return lines.sort().map(normalised).sort().join('') || 'held: nothing\n';
}
