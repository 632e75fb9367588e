import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../../helpers/run.ts';
import { answer, serve } from '../../../helpers/server.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const env = {
  DOI_CLI_BASE_URL: 'http://127.0.0.1:1',
  DOI_CLI_REPOSITORY: 'A.B',
  DOI_CLI_PASSWORD: 'correct horse',
};
const create = ['dois', 'create', '--no-validate', '--retries', '0'];

it('a refused connection leaves no doubt about a record', async () => {
  const one = await run([...create, '--doi', '10.5072/a', '--title', 'A'], { env });
  expect([one.code, one.stderr]).toEqual([5, expect.stringContaining('was refused')]);
  expect(one.stderr).not.toContain('may have been');
});

it('a refused connection leaves no doubt about the records of a file', async () => {
  const file = join(temporaryDirectory(), 'records.ndjson');
  writeFileSync(file, '{"doi":"10.5072/a"}\n{"doi":"10.5072/b"}\n');
  const { code, stdout, stderr } = await run([...create, '--file', file], { env });
  expect([code, stderr]).toEqual([5, expect.stringContaining('was refused')]);
  expect(stdout + stderr).not.toContain('may have been');
});

it('an answer with a head that is too large is not asked for again', async () => {
  const head = { 'x-much': 'x'.repeat(20_000) };
  const { url, asked } = await serve(answer(200, {}, head));
  const { code, stderr } = await run(['dois', 'get', '10.5072/a'], {
    env: { DOI_CLI_BASE_URL: url.href },
  });
  expect([code, stderr]).toEqual([
    5,
    expect.stringMatching(/head .* 16 KB.*\nhint: check --base-url/),
  ]);
  expect(asked).toHaveLength(1);
});
