import { type Finding, findingAt } from '../../metadata/findings.ts';
import { CLEAR, newText } from './cell.ts';
import { type Cell, isMainCell } from './column.ts';
import { compareCell, shownText } from './compare.ts';
import { textOf, valueIn } from './value.ts';

/** Warnings about edits of an exported row that may be mistakes. @param before the old value. */
export function warningsAbout(cells: readonly Cell[], before: unknown): readonly Finding[] {
  return [...emptiedFindings(cells, before), ...nameFindings(cells, before)];
}

/** Warnings about cells that were emptied since the export, except in removed items. */
function emptiedFindings(cells: readonly Cell[], before: unknown): readonly Finding[] {
  const removed = new Set(
    cells
      .filter((cell) => cell.cell === CLEAR && isMainCell(cell))
      .map(({ column }) => column.path[1]),
  );
  return cells.flatMap(({ column, cell }) => {
    const { path, name } = column;
    const text = cell === '' && !removed.has(path[1]) ? textAt({ column, cell }, before) : '';
    if (text === '') return [];
    const change = `is empty, and was ${shownText(text)} in the export`;
    const message = `${change}: the value stays; ${CLEAR} removes it`;
    return [{ ...findingAt('warning', path, { message }), path: name }];
  });
}

/** Members that belong to a name, and may be wrong next to a new name. */
const OF_A_NAME = ['givenName', 'familyName', 'orcid', 'ror'];

/** Warnings about new names next to values of the old name. */
function nameFindings(cells: readonly Cell[], before: unknown): readonly Finding[] {
  return cells.flatMap((main) => {
    const { path, name } = main.column;
    const old = textAt(main, before);
    if (path.at(-1) !== 'name' || old === '' || main.cell === CLEAR || isUnedited(main, before))
      return [];
    const [words, oldWords] = [wordsIn(newText(main.cell)), wordsIn(old)];
    const isOther = !words.some((word) => oldWords.includes(word));
    const stays = cells.filter((cell) => {
      const last = String(cell.column.path.at(-1));
      const isBeside = path.slice(0, -1).every((step, depth) => cell.column.path[depth] === step);
      if (!isBeside || cell.column.path.length !== path.length || !OF_A_NAME.includes(last))
        return false;
      const text = textAt(cell, before);
      if (text === '' || !isUnedited(cell, before)) return false;
      return last.endsWith('Name') ? !wordsIn(text).some((word) => isIn(word, words)) : isOther;
    });
    if (stays.length === 0) return [];
    const names = stays.map(({ column }) => column.name).join(' and ');
    const verb = stays.length === 1 ? 'stays' : 'stay';
    const remedy = 'correct what belongs to the old name';
    const message = `is new, and ${names} ${verb} as before: ${remedy}`;
    return [{ ...findingAt('warning', path, { message, value: main.cell }), path: name }];
  });
}

const textAt = ({ column: { path, rest } }: Cell, before: unknown) =>
  textOf(valueIn(before, path.slice(1), rest));
const isUnedited = ({ column, cell }: Cell, before: unknown) =>
  compareCell(column, cell, valueIn(before, column.path.slice(1), column.rest), true).isSame;
const wordsIn = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
/** Whether a word, or its first letter, is among other words. */
const isIn = (word: string, words: readonly string[]) =>
  words.some((other) => other === word || other === word[0]);
