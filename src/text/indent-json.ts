import { tokensOf } from './json-places.ts';

/**
 * JSON laid out for people: strings and numbers stay spelled as they are, which parsing and printing them again would
 * not promise.
 */
export function indentJson(json: string): string {
  let text = '';
  let depth = 0;
  let opened = '';
  const newline = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of tokensOf(json)) {
    const closes = token === '}' || token === ']';
    // What is empty stays on its line.
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
