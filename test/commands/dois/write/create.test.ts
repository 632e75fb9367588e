import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCreator } from '../../../../src/commands/dois/write/attributes.ts';
import { recordTemplate } from '../../../../src/commands/dois/write/template.ts';
import { CliError, stopReason } from '../../../../src/errors.ts';
import { withoutComments } from '../../../../src/text/json.ts';
import { emulate } from '../../../helpers/emulator.ts';
import { lacks } from '../../../helpers/platform.ts';
import { run as runBare } from '../../../helpers/run.ts';
import { type Answer, answer, serve } from '../../../helpers/server.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const OPTIONS = [
  ...['--title', 'A title', '--title', 'Another'],
  ...[
    '--creator',
    'Doe, Jane; orcid=0000-0002-1825-0097; affiliation=A, B & Co',
    '--creator',
    'An Institute',
  ],
  ...['--publisher', 'Demo', '--year', '2026', '--type', 'Dataset', '--url', 'https://example.org/1'],
  ...['--description', 'About', '--subject', 'one', '--subject', 'two'],
];

describe('a creator on the command line', () => {
  it.each([
    ['An Institute', { name: 'An Institute' }],
    ['Doe, Jane', { name: 'Doe, Jane', nameType: 'Personal', familyName: 'Doe', givenName: 'Jane' }],
    ['AT&T; Research', { name: 'AT&T; Research' }],
    [
      'Doe,Jane;ORCID=https://orcid.org/0000-0002-1825-0097;affiliation=X;affiliation=Y',
      {
        name: 'Doe, Jane',
        nameType: 'Personal',
        familyName: 'Doe',
        givenName: 'Jane',
        nameIdentifiers: [
          {
            nameIdentifier: 'https://orcid.org/0000-0002-1825-0097',
            nameIdentifierScheme: 'ORCID',
            schemeUri: 'https://orcid.org',
          },
        ],
        affiliation: [{ name: 'X' }, { name: 'Y' }],
      },
    ],
  ])('%s', (text, creator) => {
    expect(parseCreator(text)).toEqual(creator);
  });
  it.each(['', ';orcid=1', 'Doe; orcid=', 'Doe; ror=x', 'Doe; affiliation=https://ror.org/04wxnsj81'])(
    '%j is refused',
    (text) => {
      expect(() => parseCreator(text)).toThrow();
    },
  );
});

describe('dois create from options', () => {
  it('makes the record that they say', async () => {
    const { run } = await emulate();
    const { code, stdout, stderr } = await run([
      ...'dois create --prefix 10.5072'.split(' '),
      ...OPTIONS,
      '--event',
      'publish',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      id: /^10\.5072\//,
      attributes: {
        state: 'findable',
        titles: [{ title: 'A title' }, { title: 'Another' }],
        creators: [
          {
            name: 'Doe, Jane',
            nameIdentifiers: [{ nameIdentifierScheme: 'ORCID' }],
            affiliation: ['A, B & Co'],
          },
          { name: 'An Institute' },
        ],
        publisher: 'Demo',
        publicationYear: 2026,
        types: { resourceTypeGeneral: 'Dataset' },
        descriptions: [{ description: 'About', descriptionType: 'Abstract' }],
        subjects: [{ subject: 'one' }, { subject: 'two' }],
      },
    });
  });
  it('takes a DOI in place of a prefix, and prints text for people', async () => {
    const { run } = await emulate();
    const argv = 'dois create --doi https://doi.org/10.5072/mine --title T --format text'.split(' ');
    expect(await run(argv)).toMatchObject({
      code: 0,
      stdout: 'Created 10.5072/mine (draft) without a URL\n',
    });
    expect(await run([...argv, '--format', 'ndjson', '--doi', '10.5072/b'])).toMatchObject({
      stdout: /^\{"id".*\}\n$/,
    });
  });
  it('checks it before anything is sent', async () => {
    const { run, log } = await emulate();
    const argv = ['dois', 'create', '--prefix', '10.5072', ...OPTIONS, '--type', 'dataset'];
    const { code, stderr } = await run([...argv, '--format', 'text']);
    expect(code).toBe(2);
    const [first = '', ...rest] = stderr.split(/(?<=\n)/);
    expect(first).toMatch(
      /^error: types\.resourceTypeGeneral: "dataset" is not in the controlled list; did you mean Dataset\?\n$/,
    );
    expect(rest.join('')).toBe(
      'error: the record has 1 error; nothing was sent\n' + 'hint: correct the record\n',
    );
    const json = JSON.parse((await run([...argv, '--format', 'json'])).stderr);
    expect(json.error).toMatchObject({
      kind: 'usage',
      problems: [{ path: 'types.resourceTypeGeneral', value: 'dataset' }],
    });
    expect(await log()).toEqual([]);
    expect(await run([...argv, '--no-validate'])).toMatchObject({ code: 0 });
  });
  it('sends a Draft with a type that is not in the list, with a warning', async () => {
    const { run } = await emulate();
    const stdin = JSON.stringify({ prefix: '10.5072', types: { resourceTypeGeneral: 'dataset' } });
    expect(await run(['dois', 'create', '--file', '-'], { stdin })).toMatchObject({
      code: 0,
      stderr: /^stdin:1: warning: types\.resourceTypeGeneral: "dataset" .* did you mean Dataset\?/,
    });
    const published = await run(['dois', 'create', '--file', '-', '--event', 'publish'], { stdin });
    expect(published).toMatchObject({ code: 2, stderr: /error: types\.resourceTypeGeneral/ });
  });
  it('prints warnings and still sends the record', async () => {
    const { run } = await emulate();
    const stdin = JSON.stringify({ prefix: '10.5072', rightsList: [{ rightsUri: 'x' }] });
    expect(await run(['dois', 'create', '--file', '-'], { stdin })).toMatchObject({
      code: 0,
      stderr: /^stdin:1: warning: rightsList/,
    });
  });
  it.each([
    [['--prefix', '10.5072', '--doi', '10.5072/a'], /cannot be used with/],
    [['--file', '-', '--title', 'x'], /cannot be used with/],
    [['--title', 'x'], /neither a doi nor a prefix/],
    [['--prefix', '10.5072,10.5073'], /not one DOI prefix/],
    [['--year', '26', '--prefix', '10.5072'], /from 1000 to 9999/],
    [['--creator', ';orcid=1', '--prefix', '10.5072'], /must begin with a name/],
    [['--event', 'go', '--prefix', '10.5072'], /publish, register, hide/],
  ])('refuses %j before any request', async (argv, message) => {
    const { run, log } = await emulate();
    expect(await run(['dois', 'create', ...argv], { stdin: '{}' })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: message,
    });
    expect(await log()).toEqual([]);
  });
  it('says why the state differs', async () => {
    const made =
      (attributes: object): Answer =>
      (response, exchange) => {
        const { data } = JSON.parse(exchange.body) as { data: { attributes: object } };
        const all = { ...data.attributes, ...attributes };
        answer(201, { data: { id: '10.5072/x', attributes: all } })(response, exchange);
      };
    const { url } = await serve(made({ state: 'draft' }), made({ state: 'draft', reason: 'Not yet' }));
    const env = { DOI_CLI_BASE_URL: url.href, DOI_CLI_API_KEY: 'DC.key' };
    const argv = [
      ...'dois create --prefix 10.5072'.split(' '),
      ...OPTIONS,
      ...'--event publish --format text'.split(' '),
    ];
    expect(await runBare(argv, { env })).toMatchObject({
      code: 1,
      stdout: /\(draft\)/,
      stderr:
        /was created, but its state is draft, not findable as asked: the service ignored the event\nhint: doi-cli dois get/,
    });
    expect(await runBare(argv, { env })).toMatchObject({ code: 1, stderr: /as asked: Not yet/ });
  });
  it('takes a prefix for a file that names none', async () => {
    const { run } = await emulate();
    const create = ['dois', 'create', '--file', '-', '--prefix', '10.5072', '--dry-run'];
    const { stdout } = await run(create, { stdin: '{"titles":[]}' });
    expect(JSON.parse(stdout).data.attributes).toMatchObject({ prefix: '10.5072', titles: [] });
    expect(stdout.split('\n')).toHaveLength(2);
    const shown = await run(create, { stdin: '{"titles":[]}', terminal: { stdout: true } });
    expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(stdout));
    expect(shown.stdout).toMatch(/^\{\n {2}"data": \{\n/);
    expect(await run(create, { stdin: '{"doi":"10.5072/a"}' })).toMatchObject({
      stdout: /"attributes":\{"schemaVersion":"[^"]+","doi":"10\.5072\/a"\}/,
    });
  });
  it('takes the DOI from the id of a resource object', async () => {
    const { run } = await emulate();
    const stdin = JSON.stringify({
      id: '10.5072/copy',
      type: 'dois',
      attributes: { titles: [{ title: 'A' }] },
    });
    const { stdout } = await run(['dois', 'create', '--file', '-'], { stdin });
    expect(JSON.parse(stdout)).toMatchObject({
      id: '10.5072/copy',
      attributes: { titles: [{ title: 'A' }] },
    });
  });
});

describe('the template of a record', () => {
  const parsed = (given: object) =>
    JSON.parse(withoutComments(recordTemplate(given as Record<string, unknown>, 2026)));
  it('is JSON without its comments', () => {
    // The template offers no hidden values.
    expect(parsed({}).creators).toEqual([{ name: '', nameType: 'Personal' }]);
    expect(parsed({})).toMatchObject({ prefix: '', titles: [{ title: '' }], publicationYear: 2026, url: '' });
    expect(recordTemplate({}, 2026)).toMatch(/^\/\/ {3}Audiovisual, Award, .*$/m);
  });
  it('fits an editor of 80 columns', () => {
    const lines = recordTemplate({}, 2026).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
  it('holds what is known already', () => {
    expect(parsed({ doi: '10.5072/a', titles: [{ title: 'A' }], version: '1' })).toMatchObject({
      doi: '10.5072/a',
      titles: [{ title: 'A' }],
      version: '1',
    });
    expect(parsed({ doi: '10.5072/a' })).not.toHaveProperty('prefix');
  });
});

describe.skipIf(lacks('posixShell'))('dois create --edit', () => {
  /** An editor that runs shell commands, such as one that writes a text to the file. */
  function editor(commands: string): { env: Record<string, string>; folder: string } {
    const folder = temporaryDirectory();
    const script = join(folder, 'editor');
    writeFileSync(script, `#!/bin/sh\nenv > '${folder}/env'\ncp "$2" '${folder}/seen'\n${commands}\n`, {
      mode: 0o755,
    });
    const path = { PATH: process.env['PATH'] ?? '', TMPDIR: folder };
    return { folder, env: { ...path, EDITOR: 'false', VISUAL: `'${script}' --wait` } };
  }
  /** Removes the text that a message says is kept. */
  function removeKept(stderr: string): void {
    const [, file = ''] = /what you have written is kept in (\S+)/.exec(stderr) ?? [];
    expect(file).not.toBe('');
    rmSync(dirname(file), { recursive: true });
  }
  const put = (text: string) => `printf '%s' '${text}' > "$2"`;

  it('sends what was written, without the comments', async () => {
    const { run } = await emulate();
    const { env, folder } = editor(
      put('{\n// a comment\n"prefix": "10.5072", "titles": [{"title": "Edited"}]}'),
    );
    const { code, stdout, stderr } = await run(['dois', 'create', '--edit', '--title', 'Given'], { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ attributes: { titles: [{ title: 'Edited' }] } });
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toContain('"title": "Given"');
    // The editor does not get the credentials.
    expect(readFileSync(join(folder, 'env'), 'utf8')).not.toMatch(/DOI_CLI_PASSWORD|correct horse/);
  });
  it.each([
    ['unchanged', 'true'],
    ['empty', put('')],
    ['nothing but comments', put('// later\n')],
  ])('sends nothing of a text that is %s', async (_, commands) => {
    const { run, log } = await emulate();
    const { env } = editor(commands);
    expect(await run(['dois', 'create', '--edit'], { env })).toMatchObject({
      code: 2,
      stderr: /empty or unchanged/,
    });
    expect(await log()).toEqual([]);
  });
  it('keeps what was written when it cannot be sent, and says where', async () => {
    const { run, log } = await emulate();
    const text =
      '// a comment\n{"prefix": "10.5072",\n  // another\n"titles": {"titel": "x"}, "language": 7}\n';
    const { env } = editor(put(text));
    const { code, stderr } = await run(['dois', 'create', '--edit', '--format', 'text'], { env });
    expect(code).toBe(2);
    const [, file = ''] = /what you have written is kept in (\S+)/.exec(stderr) ?? [];
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(stderr).toContain(`${file}:4: error: language: 7 must be text\n`);
    expect(await log()).toEqual([]);
    writeFileSync(file, text.replace('"titel"', '"title"').replace('"language": 7', '"language": "en"'));
    expect(await run(['dois', 'create', '--file', file])).toMatchObject({ code: 0 });
    rmSync(dirname(file), { recursive: true });
  });
  it('leaves out what stays empty of the template, and keeps the numbers of lines', async () => {
    const { run } = await emulate({ records: 0 });
    const filled = `sed -i.bak -e 's/"prefix": ""/"prefix": "10.5072"/' -e 's/"title": ""/"title": "T"/' "$2"`;
    const { env } = editor(filled);
    const made = await run(['dois', 'create', '--edit'], { env });
    expect(made.code, made.stderr).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({
      attributes: {
        titles: [{ title: 'T' }],
        creators: [],
        url: null,
        types: { resourceTypeGeneral: 'Dataset' },
      },
    });
    const wrong = editor(
      `${filled}; sed -i.bak -e 's/"Dataset"/"Datset"/' "$2"; grep -n Datset "$2" > "$0.line"`,
    );
    const refused = await run(['dois', 'create', '--edit', '--event', 'publish', '--format', 'text'], {
      env: wrong.env,
    });
    removeKept(refused.stderr);
    const [line] = readFileSync(join(wrong.folder, 'editor.line'), 'utf8').split(':');
    expect(refused.stderr).toMatch(
      new RegExp(
        `record\\.jsonc:${line}: error: types\\.resourceTypeGeneral: "Datset" .* did you mean Dataset\\?\n`,
      ),
    );
  });
  it('goes on with a text that is no record yet', async () => {
    const kept = join(temporaryDirectory(), 'record.jsonc');
    writeFileSync(kept, '{"title": "half\n');
    const { env, folder } = editor('');
    const { code } = await (await emulate()).run(['dois', 'create', '--edit', '--file', kept], { env });
    expect([code, readFileSync(join(folder, 'seen'), 'utf8')]).toEqual([2, '{"title": "half\n']);
  });

  it('edits again after an empty answer, and not at the end of the input', async () => {
    const { run } = await emulate({ records: 0 });
    const terminal = { stdin: true, stderr: true };
    const { env } = editor(put('{"prefix": }'));
    for (const [stdin, runs] of [
      ['', 1],
      ['\n', 2],
    ] as const) {
      const { code, stderr } = await run(['dois', 'create', '--edit'], { env, terminal, stdin });
      removeKept(stderr);
      expect(code).toBe(2);
      expect(stderr.match(/:1:12: a value is missing before \}/g)).toHaveLength(runs);
    }
  });
  it('offers to edit again on a terminal', async () => {
    const { run } = await emulate();
    const { env, folder } = editor(
      `if [ -e "$0.again" ]; then ${put('{"prefix": "10.5072"}')}; else touch "$0.again"; ${put('{"prefix": "10.5072", "titles": 7}')}; fi`,
    );
    const terminal = { stdin: true, stderr: true };
    const { code, stdout, stderr } = await run(['dois', 'create', '--edit'], { env, terminal, stdin: 'y\n' });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/titles: 7 must be a list[\s\S]*Edit it again\? \[Y\/n\]/),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ attributes: { state: 'draft' } });
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('{"prefix": "10.5072", "titles": 7}');
  });
  it('keeps what was written when the editor fails, or the run is stopped meanwhile', async () => {
    const { run, log } = await emulate();
    const stop = new AbortController();
    const { env } = editor(`${put('{"prefix": "10.5072"}')}; exit 1`);
    const failed = await run(['dois', 'create', '--edit'], { env });
    const slow = editor(`${put('{"prefix": "10.5072"}')}; touch "$0.written"; sleep 0.2`);
    const watch = setInterval(() => {
      if (existsSync(join(slow.folder, 'editor.written'))) stop.abort(stopReason('SIGTERM'));
    }, 5);
    const stopped = await run(['dois', 'create', '--edit'], { env: slow.env, signal: stop.signal });
    clearInterval(watch);
    expect([failed.code, stopped.code]).toEqual([2, 143]);
    for (const { stderr } of [failed, stopped]) {
      const [, file = ''] = /kept in (\S+)/.exec(stderr) ?? [];
      expect(readFileSync(file, 'utf8')).toBe('{"prefix": "10.5072"}');
      rmSync(dirname(file), { recursive: true });
    }
    expect(await log()).toEqual([]);
  });
  it('says that the record exists when it cannot be printed, and keeps no text that would create another', async () => {
    const { run, log } = await emulate();
    const { env, folder } = editor(put('{"prefix": "10.5072"}'));
    const full = async () => {
      throw new CliError('output', 'cannot write the output: no space left on device');
    };
    const edited = await run(['dois', 'create', '--edit'], { env, stdout: { write: full } });
    const given = await run(['dois', 'create', '--prefix', '10.5072'], { stdout: { write: full } });
    for (const { code, stderr } of [edited, given]) {
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^error: (10\.5072\/\S+) was created, but cannot write the output: .*\nhint: doi-cli dois get \1\n$/,
      );
    }
    expect((await log()).filter(({ method }) => method === 'POST')).toHaveLength(2);
    expect(readdirSync(folder).sort()).toEqual(['editor', 'env', 'seen']);
  });
  it('needs an editor that works', async () => {
    const { run, log } = await emulate();
    const { env } = editor('exit 3');
    expect(await run(['dois', 'create', '--edit'], { env })).toMatchObject({
      code: 2,
      stderr: /ended with code 3/,
    });
    expect(await run(['dois', 'create', '--edit'])).toMatchObject({
      code: 2,
      stderr: /no terminal[\s\S]*use --file/,
    });
    expect(await run(['dois', 'create', '--edit', '--no-input'], { env })).toMatchObject({
      code: 2,
      stderr: /--no-input/,
    });
    expect(await log()).toEqual([]);
  });
});
