/**
 * JSON without white space between its tokens, laid out for people: strings and numbers stay spelled as they
 * are, which parsing and printing them again would not promise.
 */
export function indentJson(compact: string): string {
  let text = '';
  let depth = 0;
  const newline = () => `\n${'  '.repeat(depth)}`;
  // Strings, numbers and names in one piece; each bracket, colon and comma alone.
  for (const [token] of compact.matchAll(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]|[^"{}[\],:]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      text += token + newline();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      text += newline() + token;
    } else if (token === ',') text += token + newline();
    else text += token === ':' ? ': ' : token;
  }
  return text;
}
