const MARK_OR_WORD = /[{}[\],:]|[^\s"{}[\],:]+/y;
const WHITE_SPACE = /\s+/y;

/**
 * The tokens of valid JSON text with their indexes: each string, number, name, bracket, colon and comma.
 * Strings are not matched by a regular expression, which would overflow its stack: those of records can have
 * many millions of characters.
 */
export function* tokensOf(json: string): Generator<readonly [token: string, index: number]> {
  for (let at = 0; at < json.length; ) {
    WHITE_SPACE.lastIndex = at;
    if (WHITE_SPACE.test(json)) at = WHITE_SPACE.lastIndex;
    if (at === json.length) return;
    let end = at;
    if (json[at] === '"') end = stringEnd(json, at);
    else {
      MARK_OR_WORD.lastIndex = at;
      MARK_OR_WORD.test(json);
      end = MARK_OR_WORD.lastIndex;
    }
    yield [json.slice(at, end), at];
    at = end;
  }
}

/** The index after the JSON string that begins at `start`; the length of the text if it has no end. */
export function stringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return json.length;
}

/**
 * The text of a member of a JSON object. Parsing and printing it again could change the spelling of its numbers
 * and strings.
 * @returns undefined if there is no such member, or if there are two: a parser would drop one of them silently.
 */
export function memberText(json: string, name: string): string | undefined {
  let depth = 0;
  let key: string | undefined;
  let start = -1;
  let found: string | undefined;
  for (const [token, index] of tokensOf(json)) {
    const ends = depth === 1 && (token === ',' || token === '}');
    if (ends && start >= 0) {
      if (found !== undefined) return undefined;
      found = json.slice(start, index).trimEnd();
    }
    if (ends) [key, start] = [undefined, -1];
    else if (depth === 1 && key === undefined) key = token.startsWith('"') ? token : undefined;
    else if (depth === 1 && token === ':') continue;
    else if (depth === 1 && start < 0 && JSON.parse(key ?? 'null') === name) start = index;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
  }
  return found;
}

/** JSON text without white space between its tokens; each token keeps its spelling. */
export function compactJson(json: string): string {
  let text = '';
  for (const [token] of tokensOf(json)) text += token;
  return text;
}

/** JSON text indented for people. Unlike JSON.stringify, it keeps the spelling of strings and numbers. */
export function indentJson(json: string): string {
  let text = '';
  let depth = 0;
  let opened = '';
  const newline = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of tokensOf(json)) {
    const closes = token === '}' || token === ']';
    // An empty object or list stays on its line.
    if (opened !== '') {
      if (!closes) depth += 1;
      text += opened + (closes ? token : newline());
      opened = '';
      if (closes) continue;
    }
    if (token === '{' || token === '[') opened = token;
    else if (closes) {
      depth -= 1;
      text += newline() + token;
    } else if (token === ',') text += token + newline();
    else text += token === ':' ? ': ' : token;
  }
  return text;
}
