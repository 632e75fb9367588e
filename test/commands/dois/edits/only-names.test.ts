import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Editing, editRows, LAKE } from '../../../helpers/editing.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

describe('an edited export that only names DOIs', () => {
  const format = 'csv';
  const exported = async () => {
    const dois = await editing.create(LAKE, LAKE);
    return { dois, path: await editing.exported(dois, format) };
  };
  const edit = (path: string) =>
    editRows(path, (row, place) => (place === 0 ? { ...row, 'titles[0].title': 'River' } : row));

  it.each([
    ['update', ['--set', 'language=en']],
    ['register', ['--yes']],
  ])('says that %s does not send its edits', async (command, options) => {
    const { dois, path } = await exported();
    edit(path);
    const { code, stderr } = await editing.emulator.run([
      'dois',
      command,
      '--file',
      path,
      ...options,
    ]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      '1 row has edits, which are not sent: only the DOIs of the file are used',
    );
    expect(await editing.stored(dois[0] ?? '')).toMatchObject({ titles: [{ title: 'Lake' }] });
  });

  it('says nothing of rows without edits', async () => {
    const { path } = await exported();
    const { code, stderr } = await editing.emulator.run([
      'dois',
      'update',
      '--file',
      path,
      '--set',
      'language=en',
    ]);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('edits');
  });

  it('is refused where its DOIs were sorted apart from their rows', async () => {
    const { dois, path } = await exported();
    editRows(path, (row, place) => ({ ...row, doi: dois[1 - place] ?? '' }));
    const { code, stderr } = await editing.emulator.run([
      'dois',
      'register',
      '--file',
      path,
      '--yes',
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('columns were sorted separately')]);
  });

  it('is not a record of one DOI', async () => {
    const dois = await editing.create(LAKE);
    const path = await editing.exported(dois, format);
    const { code, stderr } = await editing.emulator.run([
      'dois',
      'update',
      dois[0] ?? '',
      '--file',
      path,
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`dois update --file ${path}`)]);
  });
});
