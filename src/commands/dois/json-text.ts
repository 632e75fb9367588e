/** One place in JSON text: just behind the opening brace of an object, and whether the object is empty. */
export interface ObjectStart {
  readonly at: number;
  readonly empty: boolean;
}

// Strings, numbers and names in one piece; each bracket, colon and comma alone. White space is passed over.
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Finds the object at a path in valid JSON text, so that something can be put into it without parsing and printing
 * the rest, which would not promise the same spelling of numbers and strings.
 * @returns undefined when there is no object.
 * @throws {Error} when an object anywhere has a member twice: a parser would drop one of them without a word.
 */
export function findObject(json: string, path: readonly string[]): ObjectStart | undefined {
  // For each open bracket: the names seen in an object, and the name whose value is being read.
  const open: { readonly names: Set<string> | undefined; name: string }[] = [];
  let found: ObjectStart | undefined;
  let atName = false;
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    const level = open.at(-1);
    if (token === '{' || token === '[') {
      const names = open.map(({ name }) => name);
      if (
        token === '{' &&
        names.length === path.length &&
        path.every((name, depth) => names[depth] === name)
      ) {
        found = { at: index + 1, empty: /^\s*\}/.test(json.slice(index + 1, index + 1000)) };
      }
      open.push({ names: token === '{' ? new Set() : undefined, name: '' });
      atName = token === '{';
    } else if (token === '}' || token === ']') {
      open.pop();
      atName = false;
    } else if (token === ',') atName = level?.names !== undefined;
    else if (atName && level?.names !== undefined) {
      const name = JSON.parse(token) as string;
      if (level.names.has(name)) throw new Error(`the member "${name}" is there twice`);
      level.names.add(name);
      level.name = name;
      atName = false;
    }
  }
  return found;
}
