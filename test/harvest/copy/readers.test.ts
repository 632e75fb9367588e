import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ciRequire } from '../../helpers/ci-packages.ts';
import { emulate } from '../../helpers/emulator.ts';
import { lacks } from '../../helpers/platform.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { all, COMPLETE, harvest, latest, send } from '../copy-on-disk.ts';

/** The rows of a query. */
async function rows(sql: string): Promise<Record<string, unknown>[]> {
  const { DuckDBInstance } = ciRequire('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  try {
    const connection = await instance.connect();
    try {
      return (await connection.runAndReadAll(sql)).getRowObjectsJson();
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

describe.skipIf(lacks('ciPackages'))('DuckDB', () => {
  it.each([[[]], [['--gzip']]])(
    'reads a directory by one glob and the rule of the documentation (%j)',
    async (gzip) => {
      const emulator = await emulate({ records: 600 });
      const dir = temporaryDirectory();
      const options = ['--page-size', '16', '--jobs', '3', ...gzip];
      expect((await emulator.run(harvest(dir, ...options))).code).toBe(0);
      const mine = (await all(emulator, '--mine')).map(
        (line) => (JSON.parse(line) as { id: string }).id,
      );
      const changed = [...mine, '10.5072/new'];
      for (const doi of changed) {
        await send(emulator, 'PUT', doi, { ...COMPLETE, titles: [{ title: 'Neu "中" 🧬' }] });
      }
      expect((await emulator.run(harvest(dir, ...options))).code).toBe(0);

      const records = `read_ndjson_objects('${join(dir, 'data', '*.ndjson*')}', filename = true)`;
      const unique = `SELECT count(*) AS n, count(DISTINCT json->>'$.id') AS dois FROM ${records}`;
      expect(await rows(unique)).toEqual([{ n: `${600 + changed.length}`, dois: '601' }]);

      const rule = `SELECT json::VARCHAR AS line FROM ${records}
      QUALIFY row_number() OVER (PARTITION BY json->>'$.id' ORDER BY filename DESC) = 1`;
      const lines = (await rows(rule)).map(({ line }) => String(line)).sort();
      expect(lines.join('\n') === latest(dir).join('\n')).toBe(true);
      expect(lines.join('\n') === (await all(emulator)).join('\n')).toBe(true);
      const title = `line::JSON->>'$.attributes.titles[0].title'`;
      const titles = `SELECT count(*) AS n FROM (${rule}) WHERE ${title} = 'Neu "中" 🧬'`;
      expect(await rows(titles)).toEqual([{ n: `${changed.length}` }]);
    },
  );
});

it.skipIf(lacks('posixShell', 'gzip'))(
  'can be read by the rule with gzip and awk alone',
  async () => {
    const emulator = await emulate({ records: 600 });
    for (const gzip of [[], ['--gzip']]) {
      const dir = temporaryDirectory();
      const options = ['--page-size', '16', '--jobs', '3', ...gzip];
      await emulator.run(harvest(dir, ...options));
      for (const title of ['One', 'Two']) {
        await send(emulator, 'PUT', '10.5072/new', { ...COMPLETE, titles: [{ title }] });
        await emulator.run(harvest(dir, ...options));
      }
      const line = `ls -r data/*.ndjson* | xargs gzip -dcf | awk -F'"' '!seen[$4]++'`;
      const text = execFileSync('bash', ['-c', line], {
        cwd: dir,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      });
      expect(text.split('\n').slice(0, -1).sort().join('\n') === latest(dir).join('\n')).toBe(true);
    }
  },
);
