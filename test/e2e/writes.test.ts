import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate, PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { jsonLines } from '../helpers/json-lines.ts';
import { lacks } from '../helpers/platform.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { program } from './program.ts';

const MEMBER = { DOI_CLI_REPOSITORY: 'DEMO', DOI_CLI_PASSWORD: 'member' };
const ACCOUNTS = [
  { id: REPOSITORY, password: PASSWORD },
  { id: 'DEMO', password: 'member' },
  { id: 'DEMO.OTHER', password: 'other' },
];

const draft = (suffix: string, more: object = {}) => ({
  doi: `10.5072/${suffix}`,
  titles: [{ title: suffix.toUpperCase() }],
  ...more,
});
const whole = (suffix: string, more: object = {}) => ({
  ...COMPLETE_RECORD,
  ...draft(suffix, { url: `https://example.org/${suffix}` }),
  ...more,
});
const unnamed = (title: string) => ({ prefix: '10.5072', titles: [{ title }] });
const ndjson = (values: readonly object[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** Replaces what differs from run to run. */
const normal = (text: string, dir: string) =>
  text
    .replace(/^2> waiting for an answer from .*\n/gm, '')
    .replaceAll(dir, '$DIR')
    .replace(/127\.0\.0\.1:\d+/g, 'SERVICE')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\/\w{4}-\w{4}-\w{4}(?!\w)/g, '/NEW')
    .replace(/ in [\d.]+ (?:s|min): /g, ' in TIME: ');

/** A folder, and a service with records of the repository. */
async function begin(...stored: readonly object[]) {
  const dir = temporaryDirectory();
  const { env, run, log, control } = await emulate({ records: 0, accounts: ACCOUNTS });
  const sentAfter = async (seen: number) =>
    (await log()).slice(seen).map(({ method, path, status }) => {
      const [place, query = ''] = decodeURIComponent(path).split('?');
      const parts = query.split('&').filter((part) => /^(ids|page|state)\b/.test(part));
      const shown = parts.length === 0 ? place : `${place}?${parts.join('&')}`;
      const answer = status === 200 ? '' : ` ${status ?? 'without an answer'}`;
      return `${method} ${shown}${answer}`;
    });
  if (stored.length > 0) {
    const argv = ['dois', 'create', '--file', '-', '--jobs', '1'];
    expect(await run(argv, { stdin: ndjson(stored) })).toMatchObject({ code: 0 });
  }
  return {
    faults: (...faults: readonly string[]) => control('faults', { faults }),
    write: (name: string, ...values: readonly object[]) =>
      writeFileSync(join(dir, name), ndjson(values)),
    edit(name: string, from: string, to: string) {
      const text = readFileSync(join(dir, name), 'utf8');
      expect(text).toContain(from);
      writeFileSync(join(dir, name), text.replace(from, to));
    },
    /**
     * Runs a command. Its `$DIR` is the folder.
     * @param killedAt the number of records in the service at which the program is killed.
     * @returns its exit code, its requests with answers other than 200, stdout, and stderr after
     *   `2>`.
     */
    async dois(line: string, { as = {}, killedAt = 0 } = {}) {
      const words = line.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
      const argv = words.map((word) => word.replaceAll("'", '').replace('$DIR', dir));
      const { length } = await log();
      const { code, stdout, stderr } = await program(['dois', ...argv], {
        env: { ...env, ...as },
        async during(child) {
          if (killedAt === 0) return;
          const held = async () => ((await control('status')) as { records: number }).records;
          while ((await held()) < killedAt) await new Promise((done) => setTimeout(done, 20));
          child.kill('SIGKILL');
        },
      });
      // What else a killed program has done depends on the moment.
      if (code === null) return 'killed';
      const sent = (await sentAfter(length)).join(', ') || 'no request';
      const printed = stdout + stderr.replace(/^(?=.)/gm, '2> ');
      return `\n${normal(`${code} after ${sent}\n${printed}`, dir).trimEnd()}`;
    },
    /** Each record: its title and state, and these attributes. */
    async held(...names: readonly string[]) {
      const { stdout } = await run('dois list --all --mine'.split(' '), { env: MEMBER });
      const records = jsonLines(stdout).map(({ attributes, relationships }) => {
        const { titles, state } = attributes;
        const all = { ...attributes, repository: relationships.client.data.id };
        return [titles[0].title, state, ...names.map((name) => all[name] ?? '–')].join(' ');
      });
      return records.sort().join(', ');
    },
  };
}

// Each text is what a command sends, prints and ends with.
describe('a run that writes', () => {
  it('creates one record, after a dry run, and no second one with its DOI', async () => {
    const { dois, held } = await begin();
    const create =
      'create --doi 10.5072/a --title A --url https://example.org/{suffix} --format text';
    expect(await dois(`${create} --dry-run`)).toBe(`
0 after GET /repositories/demo.repo, GET /dois/10.5072/a 404, GET /credentials/api-keys
{"data":{"type":"dois","attributes":{"schemaVersion":"http://datacite.org/schema/kernel-4",\
"doi":"10.5072/a","titles":[{"title":"A"}],"url":"https://example.org/a"}}}
2> nothing was sent (--dry-run)`);
    expect(await dois(create)).toBe(`
0 after GET /repositories/demo.repo, POST /dois 201
Created 10.5072/a (draft) https://example.org/a`);
    expect(await dois(create)).toBe(`
1 after GET /repositories/demo.repo, POST /dois 422
2> error: doi: This DOI has already been taken
2> error: the service refused the record (HTTP 422)
2> hint: to see that record: doi-cli dois get 10.5072/a`);
    expect(await held('url')).toBe('A draft https://example.org/a');
  });

  it('creates many, and the second time those that were corrected', async () => {
    const { dois, held, write, edit } = await begin();
    const published = { event: 'publish', url: null };
    const foreign = { ...unnamed('C'), prefix: '10.9999' };
    write('r.ndjson', draft('a', { nonsuch: 1 }), whole('b', published), foreign, unnamed('D'));
    const create = 'create --file $DIR/r.ndjson --jobs 1';
    expect(await dois(create)).toBe(`
1 after GET /dois?page[size]=0, GET /repositories/demo.repo, POST /dois 201, POST /dois 201
{"line":1,"doi":"10.5072/a","state":"draft","asOf":"TIME","outcome":"created","errors":[],\
"dropped":[{"path":"nonsuch","message":"is not a property of the schema","value":1,"line":1}]}
{"line":2,"doi":"10.5072/b","state":null,"outcome":"failed","errors":[{"path":"url","message":"is \
missing: a Findable record needs it","line":2}]}
{"line":3,"doi":null,"state":null,"outcome":"failed","errors":[{"path":"prefix",\
"message":"10.9999 is not a prefix of demo.repo; it has 10.5072, 10.85085","line":3}]}
{"line":4,"doi":"10.5072/NEW","state":"draft","asOf":"TIME","outcome":"created","errors":[]}
2> $DIR/r.ndjson:1: warning: nonsuch: is not a property of the schema
2> $DIR/r.ndjson:2: error: url: is missing: a Findable record needs it
2> $DIR/r.ndjson:3: error: prefix: 10.9999 is not a prefix of demo.repo; it has 10.5072, 10.85085
2> error: 4 records in TIME: 2 created, 2 failed
2> hint: correct the lines that failed; the same command again tries only those`);
    edit('r.ndjson', 'null', '"https://example.org/b"');
    edit('r.ndjson', '10.9999', '10.5072');
    expect(await dois(create)).toBe(`
0 after GET /dois?page[size]=0, GET /repositories/demo.repo, POST /dois 201, POST /dois 201
{"line":1,"doi":"10.5072/a","state":"draft","asOf":"TIME","outcome":"created","errors":[],\
"dropped":[{"path":"nonsuch","message":"is not a property of the schema","value":1,"line":1}]}
{"line":2,"doi":"10.5072/b","state":"findable","asOf":"TIME","outcome":"created","errors":[]}
{"line":3,"doi":"10.5072/NEW","state":"draft","asOf":"TIME","outcome":"created","errors":[]}
{"line":4,"doi":"10.5072/NEW","state":"draft","asOf":"TIME","outcome":"created","errors":[]}
2> 4 records in TIME: 2 created, 2 done before`);
    expect(await held()).toBe('A draft, B findable, C draft, D draft');
  });

  it.skipIf(lacks('signals'))('finds its last record after it was killed', async () => {
    const { dois, held, write, faults } = await begin();
    write('r.ndjson', ...['A', 'B', 'C'].map(unnamed));
    await faults('stall@4');
    expect(await dois('create --file $DIR/r.ndjson --jobs 1', { killedAt: 2 })).toBe('killed');
    await faults();
    expect(await dois('create --file $DIR/r.ndjson --jobs 1')).toBe(`
0 after GET /dois?page[size]=0, GET /repositories/demo.repo, GET /dois/10.5072/NEW, POST /dois 201
{"line":1,"doi":"10.5072/NEW","state":"draft","asOf":"TIME","outcome":"created","errors":[]}
{"line":2,"doi":"10.5072/NEW","state":"draft","asOf":"TIME","outcome":"created","errors":[]}
{"line":3,"doi":"10.5072/NEW","state":"draft","asOf":"TIME","outcome":"created","errors":[]}
2> 3 records in TIME: 2 created, 1 done before`);
    expect(await held()).toBe('A draft, B draft, C draft');
  });

  it('looks for the records whose answers were lost', async () => {
    const { dois, held, write, faults } = await begin();
    write('r.ndjson', unnamed('A'), draft('b'));
    await faults('lost-answer@1,2');
    expect(await dois('create --file $DIR/r.ndjson --jobs 1')).toBe(`
0 after GET /dois?page[size]=0, GET /repositories/demo.repo, POST /dois without an answer, \
GET /dois/10.5072/NEW, POST /dois without an answer, GET /dois/10.5072/b
{"line":1,"doi":"10.5072/NEW","state":"draft","asOf":"TIME","outcome":"created","errors":[]}
{"line":2,"doi":"10.5072/b","state":"draft","asOf":"TIME","outcome":"created","errors":[]}
2> 2 records in TIME: 2 created`);
    await faults('lost-answer@1');
    expect(await dois('create --doi 10.5072/c --title C --retries 0')).toBe(`
5 after GET /repositories/demo.repo, POST /dois without an answer
2> error: no answer from SERVICE: the connection was reset; the request may have been carried \
out; 10.5072/c may have been created
2> hint: before you try again: doi-cli dois get 10.5072/c`);
    expect(await held()).toBe('A draft, B draft, C draft');
  });

  it('stops in an outage, and continues', async () => {
    const suffixes = ['a', 'b', 'c', 'd'];
    const { dois, held, write, faults } = await begin(...suffixes.map((suffix) => whole(suffix)));
    write('r.ndjson', ...suffixes.map((suffix) => ({ doi: `10.5072/${suffix}`, version: '2' })));
    const update = 'update --file $DIR/r.ndjson --jobs 1 --retries 0';
    await faults('500@4+');
    expect(await dois(update)).toBe(`
5 after GET /dois?page[size]=0, GET /dois/10.5072/a, PUT /dois/10.5072/a, GET /dois/10.5072/b 500, \
GET /dois/10.5072/c 500, GET /dois/10.5072/d 500
{"line":1,"doi":"10.5072/a","state":"draft","asOf":"TIME","outcome":"updated","errors":[]}
{"line":2,"doi":"10.5072/b","state":null,"outcome":"failed","errors":[{"path":null,"message":"the \
service failed (HTTP 500) (doi-cli dois get 10.5072/b)"}]}
{"line":3,"doi":"10.5072/c","state":null,"outcome":"failed","errors":[{"path":null,"message":"the \
service failed (HTTP 500) (doi-cli dois get 10.5072/c)"}]}
{"line":4,"doi":"10.5072/d","state":null,"outcome":"failed","errors":[{"path":null,"message":"the \
service failed (HTTP 500) (doi-cli dois get 10.5072/d)"}]}
2> $DIR/r.ndjson does not say what was exported: each value that differs from its record replaces it
2> $DIR/r.ndjson:2: error: the service failed (HTTP 500) (doi-cli dois get 10.5072/b)
2> $DIR/r.ndjson:3: error: the service failed (HTTP 500) (doi-cli dois get 10.5072/c)
2> $DIR/r.ndjson:4: error: the service failed (HTTP 500) (doi-cli dois get 10.5072/d)
2> 1 of 4 records are done
2> error: the service failed (HTTP 500)
2> hint: the same command again continues`);
    await faults();
    expect(await dois(update)).toBe(`
0 after GET /dois?page[size]=0, GET /dois/10.5072/b, PUT /dois/10.5072/b, GET /dois/10.5072/c, \
PUT /dois/10.5072/c, GET /dois/10.5072/d, PUT /dois/10.5072/d
{"line":1,"doi":"10.5072/a","state":"draft","asOf":"TIME","outcome":"updated","errors":[]}
{"line":2,"doi":"10.5072/b","state":"draft","asOf":"TIME","outcome":"updated","errors":[]}
{"line":3,"doi":"10.5072/c","state":"draft","asOf":"TIME","outcome":"updated","errors":[]}
{"line":4,"doi":"10.5072/d","state":"draft","asOf":"TIME","outcome":"updated","errors":[]}
2> $DIR/r.ndjson does not say what was exported: each value that differs from its record replaces it
2> 4 records in TIME: 3 updated, 1 done before`);
    expect(await held('version')).toBe('A draft 2, B draft 2, C draft 2, D draft 2');
  });

  it('sends the edits of a spreadsheet, and refuses one that others have changed', async () => {
    const { dois, held, edit } = await begin(whole('a'), whole('b'));
    await dois('list --mine --all --out $DIR/r.csv');
    edit('r.csv', ',A,', ',A2,');
    edit('r.csv', ',B,', ',B2,');
    const update = 'update --file $DIR/r.csv --jobs 1';
    expect(await dois(`${update} --dry-run`)).toBe(`
0 after GET /dois/10.5072/a, GET /dois/10.5072/b
{"line":2,"doi":"10.5072/a","state":"draft","asOf":"TIME","outcome":"valid",\
"changes":[{"path":"titles[0].title","before":"A","after":"A2"}],"errors":[]}
{"line":3,"doi":"10.5072/b","state":"draft","asOf":"TIME","outcome":"valid",\
"changes":[{"path":"titles[0].title","before":"B","after":"B2"}],"errors":[]}
2> 2 records: 2 would change; nothing was sent (--dry-run)`);
    await dois('update 10.5072/a --set version=7');
    await dois('update 10.5072/b --set titles[0].title=theirs');
    expect(await dois(update)).toBe(`
1 after GET /dois?page[size]=0, GET /dois/10.5072/a, PUT /dois/10.5072/a, GET /dois/10.5072/b
{"line":2,"doi":"10.5072/a","state":"draft","asOf":"TIME","outcome":"updated","errors":[]}
{"line":3,"doi":"10.5072/b","state":null,"outcome":"failed","errors":[{"path":"titles[0].title",\
"message":"was \\"B\\" in the export, is \\"theirs\\" now, and \\"B2\\" in the file",\
"column":"titles[0].title","conflict":{"exported":"\\"B\\"","present":"\\"theirs\\"",\
"edited":"\\"B2\\""}}]}
2> $DIR/r.csv, row 3: error: column titles[0].title: was "B" in the export, is "theirs" now, and \
"B2" in the file (10.5072/b)
2> error: 2 records in TIME: 1 updated, 1 failed
2> hint: export again and repeat the edits that failed, or send them anyway with --overwrite`);
    expect(await dois(`${update} --overwrite`)).toBe(`
0 after GET /dois?page[size]=0, GET /dois/10.5072/b, PUT /dois/10.5072/b
{"line":2,"doi":"10.5072/a","state":"draft","asOf":"TIME","outcome":"updated","errors":[]}
{"line":3,"doi":"10.5072/b","state":"draft","asOf":"TIME","outcome":"updated","errors":[]}
2> 2 records in TIME: 1 updated, 1 done before`);
    expect(await held('version')).toBe('A2 draft 7, B2 draft –');
  });

  it('publishes, hides, deletes and transfers DOIs that it names', async () => {
    const records = [whole('a'), whole('b'), whole('c', { url: null }), draft('d')];
    const { dois, held } = await begin(...records);
    expect(await dois('publish 10.5072/a 10.5072/b 10.5072/c --format text')).toBe(`
1 after GET /dois/10.5072/a, GET /repositories/demo.repo, PUT /dois/10.5072/a, \
GET /dois/10.5072/b, PUT /dois/10.5072/b, GET /dois/10.5072/c
Published 10.5072/a (findable) https://example.org/a
Published 10.5072/b (findable) https://example.org/b
2> 10.5072/c: error: url: is missing: a Findable record needs it
2> error: 10.5072/c has 1 error; nothing was sent
2> hint: doi-cli dois update 10.5072/c --set 'url=…'
2> error: 1 of 3 DOIs were not published: 10.5072/c`);
    expect(await dois('hide 10.5072/b --reason Moved --format text')).toBe(`
0 after GET /dois/10.5072/b, GET /repositories/demo.repo, PUT /dois/10.5072/b
Hidden 10.5072/b (registered) https://example.org/b`);
    expect(await dois('delete 10.5072/a 10.5072/d --yes --format text')).toBe(`
1 after GET /dois/10.5072/a, GET /dois/10.5072/d, DELETE /dois/10.5072/d 204
Deleted 10.5072/d
2> error: 10.5072/a is findable, and only Drafts can be deleted: a DOI that was registered stays \
for good
2> hint: to remove it from the index: doi-cli dois hide 10.5072/a
2> error: 1 of 2 DOIs were not deleted: 10.5072/a`);
    const transfer = 'transfer 10.5072/c --to DEMO.OTHER --yes --format text';
    expect(await dois(transfer, { as: MEMBER })).toBe(`
0 after GET /repositories/demo.other, GET /dois/10.5072/c, PUT /dois/10.5072/c
Transferred 10.5072/c (draft) without a URL`);
    expect(await held('repository', 'reason')).toBe(
      'A findable demo.repo –, B registered demo.repo Moved, C draft demo.other –',
    );
  });

  it('validates a file', async () => {
    const { dois, write } = await begin();
    write('r.ndjson', whole('a', { url: 'x', language: 'German' }), whole('b'), whole('A'));
    expect(await dois('validate --file $DIR/r.ndjson')).toBe(`
1 after GET /repositories/demo.repo
$DIR/r.ndjson:1: error: url: "x" is not an address such as https://example.org/ (http, https or ftp)
$DIR/r.ndjson:1: warning: language: "German" is not a language tag such as en, de or pt-BR (ISO \
639, IETF BCP 47); did you mean de?
$DIR/r.ndjson:3: error: doi: line 1 has the same DOI
2> $DIR/r.ndjson: 2 errors, 1 warning in 3 records`);
  });

  it('changes the DOIs of a query', async () => {
    const { dois, held } = await begin(whole('a'), whole('b', { event: 'publish' }));
    const publish = 'publish --where state=draft --jobs 1';
    expect(await dois(publish)).toBe(`
2 after no request
2> error: changing all DOIs that match asks for confirmation, and there is no terminal to ask on
2> hint: doi-cli dois publish --where state=draft --jobs 1 --yes`);
    expect(await dois(`${publish} --yes`)).toBe(`
0 after GET /dois?state=draft&page[size]=1000&page[cursor]=1, GET /dois?page[size]=0, \
GET /dois/10.5072/a, GET /repositories/demo.repo, PUT /dois/10.5072/a
{"line":1,"doi":"10.5072/a","state":"findable","asOf":"TIME","outcome":"published","errors":[]}
2> 1 DOI in TIME: 1 published`);
    const update = 'update --where state=findable --set version=2 --jobs 1 --yes';
    expect(await dois(update)).toBe(`
0 after GET /dois?state=findable&page[size]=1000&page[cursor]=1, GET /dois?page[size]=0, \
GET /dois/10.5072/a, GET /repositories/demo.repo, PUT /dois/10.5072/a, GET /dois/10.5072/b, \
PUT /dois/10.5072/b
{"line":1,"doi":"10.5072/a","state":"findable","asOf":"TIME","outcome":"updated","errors":[]}
{"line":2,"doi":"10.5072/b","state":"findable","asOf":"TIME","outcome":"updated","errors":[]}
2> 2 DOIs in TIME: 2 updated`);
    expect(await held('version')).toBe('A findable 2, B findable 2');
  });

  it('puts the values of an export back', async () => {
    const { dois, held } = await begin(whole('a', { version: '1' }), whole('b'));
    await dois('list --mine --all --out $DIR/r.csv');
    await dois('update 10.5072/a --set version=2 --set language=en');
    const update = 'update --file $DIR/r.csv';
    expect(await dois(update)).toBe(`
0 after GET /dois?page[size]=0, GET /dois?ids=10.5072/a,10.5072/b&page[size]=2
{"line":2,"doi":"10.5072/a","state":null,"outcome":"unchanged","errors":[]}
{"line":3,"doi":"10.5072/b","state":null,"outcome":"unchanged","errors":[]}
2> 2 records in TIME: 2 unchanged
2> 1 record differs from this export; to put its values back: doi-cli dois update --file \
$DIR/r.csv --restore`);
    expect(await dois(`${update} --jobs 1 --restore --yes`)).toBe(`
0 after GET /dois/10.5072/a, PUT /dois/10.5072/a, GET /dois/10.5072/b
{"line":2,"doi":"10.5072/a","state":"draft","asOf":"TIME","outcome":"updated","errors":[]}
{"line":3,"doi":"10.5072/b","state":"draft","asOf":"TIME","outcome":"unchanged","errors":[]}
2> 2 records in TIME: 1 updated, 1 unchanged
2> edits of this export in another file are not sent again while its .update-ledger is there`);
    expect(await held('version', 'language')).toBe('A draft 1 –, B draft – –');
  });
});
