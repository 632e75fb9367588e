/**
 * Parses a `--map` as typed: the head of a column, and the path of its values in a record, or nothing.
 * @throws {Error} when it has no head. Whether there is such a path shows when the file is read.
 */
export function parseMapping(text: string): readonly [head: string, path: string] {
  const at = text.lastIndexOf('=');
  const [head, path] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at >= 0 && head !== '') return [head, path];
  throw new Error(`'${text}' is not a column and a path such as Title=titles[0].title`);
}
