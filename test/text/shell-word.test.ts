import { describe, expect, it } from 'vitest';
import { settingLines, shellWord } from '../../src/text/shell-word.ts';

describe('a word of a command line that is shown', () => {
  it.each([
    ['dois.ndjson', 'dois.ndjson', 'dois.ndjson'],
    ['C:\\Users\\ada\\my-copy', "'C:\\Users\\ada\\my-copy'", 'C:\\Users\\ada\\my-copy'],
    ['my copy', "'my copy'", '"my copy"'],
    ["Ada's copy", "'Ada'\\''s copy'", '"Ada\'s copy"'],
    ['titles[0].title', "'titles[0].title'", '"titles[0].title"'],
    ['a $b', "'a $b'", "'a $b'"],
    ["it's $5", "'it'\\''s $5'", "'it''s $5'"],
    ['my copy\\', "'my copy\\'", "'my copy\\'"],
    ['', "''", '""'],
  ])('%j is read back by the shells of the system', (text, posix, windows) => {
    expect([shellWord(text, 'linux'), shellWord(text, 'win32')]).toEqual([posix, windows]);
  });
});

it('sets variables in the shells of the system', () => {
  const variables = { ONE: "it's", TWO: '$2' };
  expect(settingLines(variables, 'linux')).toBe("export ONE='it'\\''s'\nexport TWO='$2'\n");
  expect(settingLines(variables, 'win32')).toBe("$env:ONE = 'it''s'\n$env:TWO = '$2'\n");
});
