import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../src/text/json-values.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../../../helpers/emulator.ts';
import { copyLedger } from '../../../helpers/ledgers.ts';
import type { RunOptions } from '../../../helpers/run.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';
import { closingSink, ending, type Stop } from './ending.ts';
import { normaliser } from './normalise.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import { filesText, recordsText, runText } from './report.ts';

/** Text, or values as lines of JSON. */
export type Content = string | readonly unknown[];

/** A command line with what it reads and who calls. */
interface Run extends Pick<RunOptions, 'terminal'> {
  /**
   * Words as in a shell. `$DIR` is the folder of the case, and `$KEPT` the copy of stdin that a run
   * has kept.
   */
  readonly run: string;
  readonly stdin?: Content;
  readonly as?: keyof typeof CALLERS;
  readonly stop?: Stop;
  /** After how many writes the reader of stdout has gone. */
  readonly closesAfter?: number;
  /**
   * Whether it only prepares the next step: it has to succeed, and what it does is not recorded.
   */
  readonly isPreparation?: true;
  /** The file that gets what a preparation prints. */
  readonly savesAs?: string;
}

export type Step =
  | string
  | Run
  /** The faults of the service from here on; each counts the requests from here. */
  | { readonly faults: readonly string[] }
  /** The clock of the service is set forward by some seconds. */
  | { readonly later: number }
  | { readonly write: string; readonly content: Content }
  /** Replaces a text of a file. */
  | { readonly edit: string; readonly from: string | RegExp; readonly to: string }
  | { readonly show: string };

export interface Case {
  /** Attributes of the records that the repository has at first. */
  readonly stored?: readonly object[];
  /** Those of another repository. */
  readonly foreign?: readonly object[];
  readonly files?: Readonly<Record<string, Content>>;
  /**
   * A file of test/fixtures/ledgers that is there with its ledger. The DOIs in it are shown as they
   * are.
   */
  readonly ledger?: string;
  readonly steps: readonly Step[];
  /** Attributes of the records at the end that matter, besides the usual ones. */
  readonly matters?: readonly string[];
  /** Whether several jobs send requests in any order. */
  readonly isUnordered?: true;
}

const MINE = { id: REPOSITORY, password: PASSWORD };
const OTHERS = { id: 'DEMO.OTHER', password: 'oyster 7' };
const MEMBER = { id: 'DEMO', password: 'mussel 9' };
const environment = ({ id, password }: typeof MINE) => ({
  DOI_CLI_REPOSITORY: id,
  DOI_CLI_PASSWORD: password,
});
const CALLERS = {
  member: environment(MEMBER),
  other: environment(OTHERS),
  nobody: { DOI_CLI_REPOSITORY: undefined, DOI_CLI_PASSWORD: undefined },
  impostor: environment({ ...MINE, password: 'whelk 3' }),
};
/** The service gives whole seconds: the milliseconds mark the times of the client. */
const NOW = Date.UTC(2026, 4, 1, 12, 0, 0, 123);

/** Tests that each case sends, prints and leaves what was recorded. */
export function frozen(what: string, cases: Readonly<Record<string, Case>>): void {
  describe(what, () => {
    it.each(Object.entries(cases))('%s', async (_, scene) => {
      expect(await played(scene)).toMatchSnapshot();
    });
  });
}

async function played({
  stored = [],
  foreign = [],
  files = {},
  ledger,
  ...scene
}: Case): Promise<string> {
  const dir = temporaryDirectory();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
  // What a run keeps of stdin is in the folder of the case.
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, join(dir, 'tmp'));
  mkdirSync(join(dir, 'tmp'));
  for (const [name, content] of Object.entries(files)) write(join(dir, name), content);
  const emulator = await emulate({ records: 0, accounts: [MINE, OTHERS, MEMBER] });
  for (const attributes of stored) await store(emulator, attributes, MINE);
  for (const attributes of foreign) await store(emulator, attributes, OTHERS);
  const recorder = await startRecorder(emulator.baseUrl);
  if (ledger !== undefined) copyLedger(ledger, dir, recorder.url);
  const normalised = normaliser(dir, { keepsSuffixes: ledger !== undefined });
  return new Scene({ dir, emulator, recorder, normalised, files: Object.keys(files) }).play(scene);
}

function write(path: string, content: Content): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, textOf(content));
}

const textOf = (content: Content) =>
  typeof content === 'string'
    ? content
    : content.map((value) => `${JSON.stringify(value)}\n`).join('');

const asAccount = ({ id, password }: typeof MINE) => ({
  authorization: `Basic ${btoa(`${id}:${password}`)}`,
});

async function store(
  { baseUrl }: TestEmulator,
  attributes: object,
  account: typeof MINE,
): Promise<void> {
  const answer = await fetch(`${baseUrl}/dois`, {
    method: 'POST',
    headers: { ...asAccount(account), 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type: 'dois', attributes } }),
  });
  expect(answer.status, await answer.text()).toBe(201);
}

async function recordsIn({ baseUrl, control }: TestEmulator): Promise<readonly JsonObject[]> {
  await control('faults', { faults: [] });
  const query = 'provider-id=demo&page[size]=1000&affiliation=true&publisher=true';
  const answer = await fetch(`${baseUrl}/dois?${query}`, { headers: asAccount(MEMBER) });
  const { data } = (await answer.json()) as { data: JsonObject[] };
  return data;
}

/** The words of a command line, as a shell splits them. */
const wordsOf = (line: string) =>
  (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );

interface Stage {
  readonly dir: string;
  readonly emulator: TestEmulator;
  readonly recorder: Recorder;
  readonly normalised: (text: string) => string;
  /** The names of the files that are there at first. */
  readonly files: readonly string[];
}

class Scene {
  readonly #stage: Stage;
  #kept = '';
  #isUnordered = false;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Takes all steps. @returns what was sent, printed and left. */
  async play({ steps, matters = [], isUnordered }: Case): Promise<string> {
    this.#isUnordered = isUnordered === true;
    const { dir, emulator, files, normalised } = this.#stage;
    const texts: string[] = [];
    for (const step of steps) texts.push(normalised(await this.#take(step)));
    texts.push(normalised(filesText(dir, files)));
    texts.push(recordsText(await recordsIn(emulator), matters, normalised));
    return `\n${texts.join('')}`;
  }

  async #take(step: Step): Promise<string> {
    const { dir, emulator } = this.#stage;
    if (typeof step === 'string') return this.#run({ run: step });
    if ('run' in step) return this.#run(step);
    if ('faults' in step) {
      await emulator.control('faults', { faults: step.faults });
      return `# faults: ${step.faults.join(' ') || 'none'}\n`;
    }
    if ('later' in step) {
      await emulator.control('clock', { advanceMs: step.later * 1000 });
      return `# ${step.later} seconds later\n`;
    }
    if ('show' in step)
      return `# ${step.show} holds\n${readFileSync(join(dir, step.show), 'utf8')}`;
    if ('write' in step) {
      write(join(dir, step.write), step.content);
      return `# ${step.write} is written\n`;
    }
    return this.#edit(step.edit, step.from, step.to);
  }

  #edit(name: string, from: string | RegExp, to: string): string {
    const path = join(this.#stage.dir, name);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(from, to);
    expect(after, `${from} is in ${name}`).not.toBe(before);
    writeFileSync(path, after);
    return `# ${name}: ${from} becomes ${to}\n`;
  }

  async #run({
    run,
    as,
    stdin,
    stop,
    closesAfter,
    terminal,
    isPreparation,
    savesAs,
  }: Run): Promise<string> {
    const { dir, emulator, recorder, files } = this.#stage;
    const argv = wordsOf(run).map((word) => word.replace('$DIR', dir).replace('$KEPT', this.#kept));
    const end = stop && ending(dir, stop);
    const stdout = closesAfter === undefined ? undefined : closingSink(closesAfter);
    const received = recorder.record(end?.watch);
    const result = await emulator.run(argv, {
      env: { DOI_CLI_BASE_URL: recorder.url, ...(as && CALLERS[as]) },
      ...(stdin !== undefined && { stdin: textOf(stdin) }),
      ...(terminal && { terminal }),
      ...(stdout && { stdout }),
      ...(end && { signal: end.signal }),
    });
    end?.finish();
    this.#kept = /records are kept in (\S+)/.exec(result.stderr)?.[1] ?? this.#kept;
    if (isPreparation || savesAs !== undefined) {
      expect(result.code, result.stderr).toBe(0);
      if (savesAs !== undefined) write(join(dir, savesAs), result.stdout);
      return `# doi-cli ${run}${savesAs === undefined ? '' : ` > ${savesAs}`}\n`;
    }
    const printed = { ...result, stdout: stdout?.text() ?? result.stdout };
    return runText(
      run + (as === undefined ? '' : ` (as ${as})`),
      end?.sent(received) ?? received,
      stop?.by === 'kill' ? undefined : printed,
      { isUnordered: this.#isUnordered, sources: files.map((name) => join(dir, name)) },
    );
  }
}
