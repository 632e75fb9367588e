import { describe, expect, it } from 'vitest';
import { emulate } from '../../../helpers/emulator.ts';

const terminal = { stdout: true, columns: 80 };

describe('a list on a terminal', () => {
  it('is a table for each page with --all, and NDJSON where a format is named', async () => {
    const { run } = await emulate({ records: 60 });
    const all = ['dois', 'list', '--all', '--state', 'findable', '--page-size', '20', '--no-pager'];
    const { stdout } = await run(all, { terminal });
    const lines = stdout.trimEnd().split('\n');
    const heads = lines.filter((line) => /^DOI +STATE/.test(line));
    const count = Number((await run([...all.slice(0, 2), '--count', ...all.slice(3, 5)])).stdout);
    expect([lines.length - heads.length, heads.length]).toEqual([count, Math.ceil(count / 20)]);
    const { stdout: named } = await run([...all, '--format', 'ndjson'], { terminal });
    expect(named).toMatch(/^\{"id"/);
    const piped = await run([...all, '--format', 'table']);
    expect(piped.stdout).toMatch(/^DOI +STATE +YEAR/);
  });

  it('has every named column, and whole DOIs', async () => {
    const { run } = await emulate({ records: 60 });
    const named = ['dois', 'list', '--columns', 'doi,title,creators,year,url', '--no-pager'];
    const { stdout } = await run(named, { terminal });
    expect(stdout).toMatch(/^DOI +TITLE +CREATORS +YEAR +URL$/m);
    expect(stdout).not.toMatch(/^10\.\S*…/m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
