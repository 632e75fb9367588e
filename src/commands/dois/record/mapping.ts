import { columnNamed, suggestedColumn } from '../../../metadata/columns/column.ts';
import { STANDARD } from '../../../metadata/columns/standard.ts';

/**
 * Parses a `--map` as typed: the head of a column, and the path of its values in a record, or nothing.
 * @throws {Error} when there is no such path.
 */
export function parseMapping(text: string): readonly [head: string, path: string] {
  const at = text.lastIndexOf('=');
  const [head, path] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at < 0 || head === '')
    throw new Error(`'${text}' is not a column and a path such as Title=titles[0].title`);
  if (path === '' || columnNamed(path) !== undefined) return [head, path];
  const meant = suggestedColumn(path, STANDARD);
  throw new Error(
    `'${path}' is not a value of a record${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}
