import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stopReason } from '../../../../src/errors.ts';
import { emulate } from '../../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { run } from '../../../helpers/run.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const GOOD = { doi: '10.5072/abc', ...COMPLETE_RECORD };
const BAD = {
  ...GOOD,
  doi: '10.5072/bad',
  titles: [{ title: 'A', titleType: 'Sub' }],
  language: 'xx',
};
const lines = (...records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const validate = (stdin: string, ...more: readonly string[]) =>
  run(['dois', 'validate', '--file', '-', ...more], { stdin });

describe('dois validate', () => {
  it.each([
    // An array is read as its records; one within a document is not.
    ['{"data":[{"type":"dois"}]}', '.data[]'],
    ['[[{"doi":"10.5072/a"}]]', '.[]'],
  ])('says how to make records of the list %j', async (list, items) => {
    expect(await validate(list)).toMatchObject({
      code: 2,
      stdout: `stdin:1: error: holds a list, not one record a line: convert it with jq -c '${items}'\n`,
    });
  });
  it('reads files, and says when it cannot', async () => {
    const file = join(temporaryDirectory(), 'record.json');
    writeFileSync(file, `\uFEFF${JSON.stringify(GOOD, undefined, 2)}\n`);
    expect(await run(['dois', 'validate', '--file', file])).toMatchObject({ code: 0 });
    const { code, stderr } = await run(['dois', 'validate', '--file', `${file}.not`]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: cannot read .*\nhint: /)]);
    expect(await run(['dois', 'validate', '--file', tmpdir()])).toMatchObject({
      code: 2,
      stderr: /cannot read/,
    });
    expect(await run(['dois', 'validate'])).toMatchObject({ code: 2, stderr: /--file/ });
  });
  it('ends with 2 where a line is no record, after checking all others', async () => {
    const broken = await validate(`${lines(GOOD)}{"titles": oops}\n[]\n${lines(BAD)}`);
    expect(broken.code).toBe(2);
    expect(broken.stdout).toMatch(
      /^stdin:2:12: error: oops is not a value .* \(not valid JSON\)\nstdin:3: error: holds no JSON object\nstdin:4: /,
    );
    expect(await validate(`{"titles": oops}\n${lines(GOOD, BAD)}`)).toMatchObject({
      code: 2,
      stdout: /^stdin:1:12: error: oops is not .*\nstdin:3: /,
    });
    expect(await validate('{\n"titles": [\n')).toMatchObject({
      code: 2,
      stdout: /^stdin:2:12: error: the closing \] is missing/,
    });
    expect(await validate(' \n')).toMatchObject({ code: 2, stderr: /stdin is empty/ });
    expect(await validate('{"prefix":"10.5072","url":"a","url":"b"}')).toMatchObject({
      code: 2,
      stdout: /"url" appears twice/,
    });
    const { code, stderr } = await run(['dois', 'validate', '--file', '-'], {
      stdin: Buffer.from([0x7b, 0xff]),
    });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/not UTF-8/)]);
  });
  it.each([
    [['500'], {}],
    [[], { DOI_CLI_PASSWORD: '' }],
  ])('needs no account: %j %j', async (faults, env) => {
    const { run } = await emulate({ faults });
    const argv = 'dois validate --file - --retries 0'.split(' ');
    expect(await run(argv, { stdin: lines(GOOD), env })).toMatchObject({ code: 0 });
  });
  it('checks for the state that a record is in', async () => {
    expect(await validate('{"prefix":"10.5072","state":"findable"}')).toMatchObject({
      code: 1,
      stdout: /error: titles: is missing/,
    });
  });
  it('takes what the service drops or respells for a warning, which --strict counts', async () => {
    const stdin = JSON.stringify({
      ...GOOD,
      nonsuch: 1,
      creators: [{ name: 'A', affiliation: ['CERN'] }],
    });
    const said = [
      'stdin:1: warning: the service would drop this: nonsuch: is not a property of the schema (10.5072/abc)',
      'stdin:1: warning: creators[0].affiliation[0]: "CERN" is text, which the service would drop; sent as {"name": …} (10.5072/abc)',
    ];
    const { code, stdout, stderr } = await validate(stdin);
    expect([code, stdout.trim().split('\n').sort()]).toEqual([0, said.toSorted()]);
    expect(stderr).toBe('stdin: 0 errors, 2 warnings in 1 record\n');
    expect(await validate(stdin, '--strict')).toMatchObject({ code: 1 });
    const one = lines({ ...GOOD, nonsuch: 1 });
    expect(await validate(one, '--strict')).toMatchObject({ code: 1 });
    expect(await validate(lines(GOOD) + one)).toMatchObject({
      stdout: /^stdin:2: error: doi: line 1 has the same DOI.*\nstdin:2: warning: /,
    });
    const json = await validate(stdin, '--format', 'ndjson');
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: true, findings: [{}, {}] });
    expect(json.stdout).toContain('"dropped":true');
  });
  it('reports the first thousand findings of a record, and the number of the others', async () => {
    const dates = Array.from({ length: 2345 }, (_, day) => ({
      date: `x${day}`,
      dateType: 'Issued',
    }));
    const stdin = lines({ ...GOOD, dates }, BAD);
    const { code, stdout, stderr } = await validate(stdin, '--event', 'publish');
    const printed = stdout.trimEnd().split('\n');
    expect([code, printed.length]).toEqual([1, 1000 + 1 + 2]);
    expect(printed[1000]).toBe('stdin: warning: and 1,345 more (10.5072/abc)');
    expect(printed[1001]).toMatch(/^stdin:2: /);
    expect(stderr).toContain('stdin: 1 error, 2,346 warnings in 2 records');
    const json = await validate(stdin, '--event', 'publish', '--format', 'ndjson');
    const [first] = json.stdout.split('\n');
    const { findings, valid } = JSON.parse(first ?? '') as { findings: object[]; valid: boolean };
    expect([valid, findings.length, findings[1000]]).toEqual([
      true,
      1001,
      { severity: 'warning', path: '', message: 'and 1,345 more' },
    ]);
  });
  it('ends at a signal, also in the last record', async () => {
    const stop = new AbortController();
    const stdout = { write: async () => stop.abort(stopReason('SIGTERM')) };
    const argv = ['dois', 'validate', '--file', '-'];
    const { code, stderr } = await run(argv, { stdin: lines(BAD), stdout, signal: stop.signal });
    expect([code, stderr]).toEqual([143, expect.not.stringContaining('1 record')]);
  });
  it('shows no control characters of a record', async () => {
    const { stdout } = await run(['dois', 'validate', '--file', '-'], {
      stdin: JSON.stringify({
        prefix: '10.5072',
        'a\u001b[31m\nb': 1,
        dates: [{ date: 'x\n/error: y', dateType: 'Issued' }],
      }),
    });
    expect(stdout).not.toContain('\u001b');
    expect(
      stdout
        .trim()
        .split('\n')
        .every((line) => line.startsWith('stdin:1: ')),
    ).toBe(true);
  });
});
