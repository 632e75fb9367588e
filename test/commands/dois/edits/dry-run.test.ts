import { afterAll, beforeAll, expect, it } from 'vitest';
import { Editing, edit, LAKE } from '../../../helpers/editing.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

it.each(['csv', 'ndjson'] as const)(
  'a dry run of %s that was sent before shows what the run does',
  async (format) => {
    const [doi = ''] = await editing.create(LAKE);
    const path = await editing.exported([doi], format);
    for (const version of ['2', '3', '1']) {
      edit(path, doi, { version });
      const dry = await editing.update(path, '--dry-run');
      expect([dry.code, dry.outcomes, dry.puts], dry.stderr).toEqual([0, ['valid'], []]);
      const { code, outcomes, stderr } = await editing.update(path);
      expect([code, outcomes], stderr).toEqual([0, ['updated']]);
      expect(await editing.stored(doi)).toMatchObject({ version });
    }
  },
);
