import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../src/program.ts';
import { shell } from './e2e/program.ts';
import { onTerminal } from './e2e/terminal.ts';
import { toolbox } from './e2e/toolbox.ts';
import { emulate, REPOSITORY } from './helpers/emulator.ts';
import { lacks } from './helpers/platform.ts';
import { blocks, tools } from './helpers/recipes.ts';
import { startSecretService } from './helpers/secret-service.ts';
import { temporaryDirectory } from './helpers/temporary.ts';

const inShell = it.skipIf(lacks('posixShell'));

const read = (name: string) => readFileSync(`docs/${name}`, 'utf8');

/** A record that each row of docs/queries.md describes. */
const LAKE = {
  doi: '10.5072/lake-1',
  event: 'publish',
  url: 'https://old.example.org/lake/1',
  titles: [{ title: 'Depth of the Lake' }],
  creators: [
    {
      name: 'Doe, Jane',
      familyName: 'Doe',
      nameIdentifiers: [
        {
          nameIdentifier: 'https://orcid.org/0000-0002-1825-0097',
          nameIdentifierScheme: 'ORCID',
          schemeUri: 'https://orcid.org',
        },
      ],
      affiliation: [
        {
          name: 'Lake Institute',
          affiliationIdentifier: 'https://ror.org/04wxnsj81',
          affiliationIdentifierScheme: 'ROR',
        },
      ],
    },
  ],
  contributors: [{ name: 'Roe, Richard', contributorType: 'DataCurator' }],
  publisher: {
    name: 'Lake Institute',
    publisherIdentifier: 'https://ror.org/04wxnsj81',
    publisherIdentifierScheme: 'ROR',
  },
  publicationYear: 2024,
  types: { resourceTypeGeneral: 'Dataset', resourceType: 'Soundings' },
  subjects: [{ subject: 'Limnology' }],
  descriptions: [{ description: 'Monthly soundings.', descriptionType: 'Abstract' }],
  dates: [{ date: '2024-05', dateType: 'Collected' }],
  language: 'de',
  identifiers: [{ identifier: 'LS-2024-7', identifierType: 'Local' }],
  relatedIdentifiers: [
    {
      relatedIdentifier: '10.1234/article',
      relatedIdentifierType: 'DOI',
      relationType: 'IsSupplementTo',
    },
  ],
  rightsList: [{ rightsIdentifier: 'CC-BY-4.0' }],
  fundingReferences: [{ funderName: 'Lake Foundation', awardNumber: '4711' }],
  geoLocations: [{ geoLocationPlace: 'Lake Constance' }],
  formats: ['text/csv'],
  version: '2.1',
};

const secretIn = (folder: string) => readFileSync(join(folder, 'secret'), 'utf8').trim();

describe('the table of docs/dev/security-tests.md', () => {
  const rows = [
    ...read('dev/security-tests.md').matchAll(
      /^\| (.+) \| `((?:test|\.ci\/tests)\/\S+)`: (.+) \|$/gm,
    ),
  ];
  it('is read', () => {
    expect(rows.length).toBeGreaterThan(25);
    // All lines of the table except its head.
    expect(read('dev/security-tests.md').match(/^\| .* \|$/gm)).toHaveLength(rows.length + 1);
  });
  it.each(rows.map(([, claim, file, title]) => [claim, file, title]))(
    '%s',
    (_, file = '', title = '') => {
      expect(existsSync(file)).toBe(true);
      expect(readFileSync(file, 'utf8')).toContain(title);
    },
  );
});

describe('an option', () => {
  it('never takes a secret as its value', async () => {
    const program = buildProgram();
    await program.declareAll();
    const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
    const withValues = all(program).flatMap(({ options }) =>
      options.filter((option) => !option.isBoolean()),
    );
    expect(withValues.length).toBeGreaterThan(20);
    for (const { long } of withValues) expect(long).not.toMatch(/password|secret|token|key/);
  });
});

// Node.js gives the terminal back as it found it: for a background program, in the raw mode of the
// shell's prompt.
it.each(['README.md', 'docs/tutorial.md', 'docs/emulator.md', 'docs/ci.md'])(
  '%s keeps background programs off the terminal',
  (file) => {
    for (const block of blocks(readFileSync(file, 'utf8'), 'sh')) {
      for (const [line] of block.matchAll(/^.*doi-cli.* &$/gm)) {
        expect(line).toMatch(/ < \S+ > \S+ 2> \S+ &$/);
      }
    }
  },
);

describe.skipIf(lacks('secretService', 'posixShell'))('docs/tutorial.md', () => {
  it('works from beginning to end, as it is typed', async () => {
    const folder = tools();
    const keychain = await startSecretService('unlocked');
    writeFileSync(join(folder, 'tutorial.sh'), blocks(read('tutorial.md'), 'sh').join('\n'));
    const { code, screen: colored } = await onTerminal([], {
      // Puts the program under its name on the path.
      shell: `cd '${folder}' && printf '#!/bin/sh\\nexec "%s" "%s" "$@"\\n' "$1" "$0" > doi-cli && chmod +x doi-cli && bash -eo pipefail tutorial.sh`,
      env: {
        ...keychain,
        DOI_CLI_CONFIG_DIR: join(folder, 'config'),
        PATH: `${folder}${delimiter}${toolbox()}`,
      },
      columns: 250,
      type: [
        ['Password:', 'example-pw\r'],
        ['[y/N]', 'y\r'],
      ],
    });
    const screen = stripVTControlCharacters(colored);
    expect(code, screen).toBe(0);
    expect(screen).toMatch(/DEMO\.REPO +repository +keychain +yes/);
    expect(screen).toMatch(/Revoked \S+ 'ci-2026-05'/);
    expect(screen).toMatch(/'laptop'.*[\s\S]*Revoked \S+ 'laptop'/);
    expect(screen).toMatch(/ci-2026-05 +DC\.\S+ +active +doi-cli keys revoke/);
    // CI has a key that was never displayed.
    expect(secretIn(folder)).toMatch(/^DC\.[A-Za-z0-9]{32}$/);
    expect(screen).not.toContain(secretIn(folder));
    // The revocation erases the stored key, so that only the password is left for the logout.
    expect(screen).toMatch(
      /Erased the revoked key of DEMO\.REPO from the keychain[\s\S]*Erased the password of DEMO\.REPO/,
    );
    expect(screen).not.toMatch(/example-pw\b.*\r\n.*Logged in/);
    // Otherwise a later login could send the password to another program at this address.
    expect(JSON.parse(readFileSync(join(folder, 'config', 'config.json'), 'utf8'))).toEqual({
      profiles: {},
      stored: [],
    });
  });
});

describe('docs/dois.md', () => {
  inShell('works from beginning to end, as it is typed', async () => {
    const { env } = await emulate();
    const cwd = temporaryDirectory();
    const lines = blocks(read('dois.md'), 'sh').join('\n');
    const { code, stdout, stderr } = await shell(`set -eo pipefail\n${lines}`, { env, cwd });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(
      '- titles[0].title: "Depth of the lake"\n+ titles[0].title: "Depth of the lake in 2026"\n',
    );
    expect(stdout.match(/^\{"line":\d+,.*"valid":true,"findings":\[\]\}$/gm)).toHaveLength(20);
    expect(stdout).toContain('"language": "en"');
    expect(stdout).toContain('Deleted 10.5072/a-slip\n');
    expect(readFileSync(join(cwd, 'my-first.bib'), 'utf8')).toContain('Depth of the lake in 2026');
    expect(stdout).toMatch(/<\/resource>\n$/);
  });
});

describe('docs/spreadsheet.md', () => {
  inShell('works from beginning to end, as it is typed', async () => {
    const { env, run } = await emulate({ records: 0 });
    const lines = blocks(read('spreadsheet.md'), 'sh').join('\n');
    const { code, stdout, stderr } = await shell(`set -eo pipefail\n${lines}`, {
      env,
      cwd: temporaryDirectory(),
    });
    expect(code, stderr).toBe(0);
    expect(
      [...stdout.matchAll(/"doi":"([^"]+)".*"outcome":"created"/g)].map(([, doi]) => doi),
    ).toEqual(['10.5072/lake-1', '10.5072/lake-2']);
    // The guide edits this title, and shows what would put it back.
    expect(stdout).toContain('"before":"Water temperatures"');
    expect((await run(['dois', 'get', '10.5072/lake-1'])).stdout).toContain(
      '"title": "Water temperatures"',
    );
  });

  it('names the columns of a list', async () => {
    const { run } = await emulate({ records: 0 });
    const { stdout } = await run(['dois', 'list', '--mine', '--format', 'csv']);
    const own = stdout
      .trim()
      .split(',')
      .filter((name) => !/\[[1-9]\]/.test(name));
    const text = read('spreadsheet.md');
    const parts = own.map((name) => name.replace(/^(?!affiliation)\w+\[0\](?=\.)/, ''));
    expect(parts.filter((name) => !text.includes(`${name}\``))).toEqual([]);
  });
});

describe('the examples of', () => {
  inShell.each(['api.md', 'tools.md'])('docs/%s work as typed', async (name) => {
    const { env } = await emulate();
    const lines = blocks(read(name), 'sh').join('\n');
    expect(lines).toContain('doi-cli');
    const { code, stderr } = await shell(`set -e\n${lines}`, { env, cwd: temporaryDirectory() });
    expect(code, stderr).toBe(0);
  });
});

describe('docs/queries.md', () => {
  const text = read('queries.md');

  inShell('has examples that work as typed', async () => {
    const { env } = await emulate();
    const lines = blocks(text, 'sh').join('\n');
    const { code, stderr } = await shell(`set -e\n${lines}`, { env });
    expect(code, stderr).toBe(0);
  });

  it('has queries that find a record with all of it', async () => {
    const { run } = await emulate({ records: 0 });
    const created = await run(['dois', 'create', '--file', '-'], { stdin: JSON.stringify(LAKE) });
    expect(created.code, created.stderr).toBe(0);
    const rows = [...text.matchAll(/^\| ([^|]+) \| `(.+)` \|/gm)].map(([, what, query = '']) => ({
      what,
      query,
    }));
    expect(rows.length).toBeGreaterThan(30);
    const found = await Promise.all(
      rows.map(
        async ({ query }) => (await run(['dois', 'list', '--count', '--query', query])).stdout,
      ),
    );
    const missed = rows.filter((_, index) => found[index] !== '1\n').map(({ query }) => query);
    // The record has a language, and nobody cites it.
    expect(missed).toEqual(['NOT _exists_:language', 'citationCount:[1 TO *]']);
  });
});

describe('docs/jobs.md', () => {
  const text = read('jobs.md');

  inShell('does each job as typed', async () => {
    const { env, run } = await emulate({ records: 0 });
    const lines = [1, 2, 3].map((number) =>
      JSON.stringify({ ...LAKE, doi: `10.5072/lake-${number}` }),
    );
    const titles = [{ ...LAKE.titles[0], titleType: 'Sub' }];
    lines.push(JSON.stringify({ ...LAKE, doi: '10.5072/lake-4', titles, event: undefined }));
    const created = await run(['dois', 'create', '--file', '-'], { stdin: lines.join('\n') });
    expect(created.code, created.stderr).toBe(0);
    const cwd = tools();
    const script = blocks(text, '(?:ba)?sh').join('\n');
    const { code, stdout, stderr } = await shell(`set -eo pipefail\n${script}`, {
      env,
      cwd,
      brings: cwd,
    });
    expect(code, stderr).toBe(0);
    expect(secretIn(cwd)).toMatch(/^DC\.[A-Za-z0-9]{32}$/);
    expect(stderr + stdout).not.toContain(secretIn(cwd));
    expect(stdout).toMatch(/\n0\n/);
    expect(stdout).toMatch(/\n1 +warning +titles\[\]\.titleType /);
    expect(stderr).toContain('demo.repo: all 4 records are valid\n');
    const { stdout: moved } = await run(['dois', 'get', '10.5072/lake-2']);
    expect(JSON.parse(moved).attributes).toMatchObject({
      url: 'https://new.example.org/lake-2',
      publisher: { name: 'Lake Institute' },
    });
  });

  it('has at most ten lines for each', () => {
    for (const block of blocks(text, String.raw`\w+`))
      expect(block.split('\n').length).toBeLessThan(12);
  });
});

describe('docs/datafile.md', () => {
  inShell('gives tools for buckets their credentials', async () => {
    const { env } = await emulate({ records: 0 });
    const home = temporaryDirectory();
    const brings = temporaryDirectory();
    const [profile = '', remote = ''] = blocks(read('datafile.md'), 'ini');
    writeFileSync(join(home, 'config'), profile);
    expect(remote).toContain(`profile = ${/^\[profile (.*)\]$/m.exec(profile)?.[1]}\n`);
    // They stand for tools that run the command of the profile, as AWS documents it.
    for (const name of ['aws', 'rclone']) {
      const run = `sh -c "$(sed -n 's/^credential_process = //p' ~/config)"`;
      writeFileSync(join(brings, name), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
    }
    const lines = `${blocks(read('datafile.md'), 'sh').join('\n')}\necho $AWS_SESSION_TOKEN`;
    const options = { env: { ...env, HOME: home }, brings };
    const { code, stdout, stderr } = await shell(`set -e\n${lines}`, options);
    expect([code, stderr]).toEqual([0, '']);
    const [aws = '', rclone = '', token] = stdout.split('\n');
    for (const printed of [aws, rclone]) {
      expect(JSON.parse(printed)).toEqual({
        Version: 1,
        AccessKeyId: /^ASIA/,
        SecretAccessKey: expect.any(String),
        SessionToken: expect.any(String),
        Expiration: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
      });
    }
    expect(token).toMatch(/^\S{100,}$/);
  });
});

describe('docs/other-programs.md', () => {
  inShell('runs programs that have no credentials of their own', async () => {
    const emulator = await emulate({ records: 0 });
    await emulator.run(['dois', 'create', '--doi', '10.5072/release', '--title', 'A']);
    const cwd = temporaryDirectory();
    const [script = ''] = blocks(read('other-programs.md'), 'js');
    writeFileSync(join(cwd, 'deploy.mjs'), script);
    // Stands for curl, which replaces the names of variables itself.
    const brings = temporaryDirectory();
    const curl = 'echo "$* for $DATACITE_USERNAME" | grep -v "$DATACITE_PASSWORD"';
    writeFileSync(join(brings, 'curl'), `#!/bin/sh\n${curl}\n`, { mode: 0o755 });
    const lines = blocks(read('other-programs.md'), 'sh').join('\n');
    const options = { env: emulator.env, cwd, brings };
    const { code, stdout, stderr } = await shell(`set -e\n${lines}`, options);
    expect([code, stderr]).toEqual([0, '']);
    const [deploying, deployed, curled] = stdout.split('\n');
    expect(deploying).toBe(`deploying as ${REPOSITORY}`);
    expect(deployed).toBe('10.5072/release: HTTP 200');
    expect(curled).toMatch(
      new RegExp(`{{DATACITE_USERNAME}}:{{DATACITE_PASSWORD}} .* for ${REPOSITORY}$`),
    );
    const { stdout: record } = await emulator.run(['dois', 'get', '10.5072/release']);
    expect(JSON.parse(record).attributes).toMatchObject({
      url: 'https://data.example.org/2.1.0',
      version: '2.1.0',
    });
  });
});

describe('docs/bulk.md', () => {
  const text = read('bulk.md');

  inShell('works from beginning to end, as it is typed', async () => {
    const { env, run } = await emulate({ records: 0 });
    const cwd = temporaryDirectory();
    const lines = blocks(text, 'sh').join('\n');
    const { code, stdout, stderr } = await shell(`set -eo pipefail\n${lines}`, { env, cwd });
    expect(code, stderr).toBe(0);
    const outcomes = [...stdout.matchAll(/"outcome":"(\w+)"/g)].map(([, outcome]) => outcome);
    expect(outcomes).toEqual([
      'valid',
      'valid',
      'valid',
      'updated',
      ...Array.from({ length: 3 }, () => 'valid'),
      ...Array.from({ length: 3 }, () => 'published'),
      ...Array.from({ length: 3 }, () => 'updated'),
      ...Array.from({ length: 5 }, () => 'created'),
    ]);
    expect(stderr).toMatch(
      /3 records in .*: 3 created\n3 records in .*: 3 done before\n.* does not say what was exported.*\n1 record in .*: 1 updated/,
    );
    expect((await run(['dois', 'list', '--count', '--mine'])).stdout).toBe('8\n');
    expect(
      readFileSync(join(cwd, 'results.ndjson'), 'utf8').match(/^.*"outcome":"created".*$/gm),
    ).toHaveLength(3);
    // The ledger has the form that docs/dev/ledger.md describes.
    const described = (blocks(read('dev/ledger.md'), 'json')[0] ?? '').trim().split(/\n(?=\{)/);
    const found = readFileSync(join(cwd, 'records.ndjson.create-ledger'), 'utf8')
      .trim()
      .split('\n');
    const members = (line = '') => Object.keys(JSON.parse(line) as object);
    for (const line of found) expect(described.map(members)).toContainEqual(members(line));
  });
});
