import { isObject, type JsonObject, jsonIn, type Path, textsIn } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';
import { htmlFindings } from './html.ts';

/** Control characters that XML cannot contain. */
const CONTROL = /[^\P{Cc}\t\n\r\x7f-\x9f]/u;

/** Characters that damage a text, and what they are. */
const DAMAGES: readonly (readonly [pattern: RegExp, message: string])[] = [
  [CONTROL, 'holds a control character, with which the XML of the record is not well-formed'],
  [/\p{Cs}/u, 'holds half of a character, such as of an emoji that was cut'],
  [/\ufffd/, 'holds U+FFFD, which stands for a character that was lost'],
];

/** What programs print for a structure in the place of its text. A text may have megabytes. */
const STRUCTURES: readonly RegExp[] = [
  // JavaScript, which also joins them with other text.
  /\[object [A-Z]\w*\]/,
  // A list of texts in JSON, Python and Ruby, and nothing at all.
  /^\[[\s[(]*u?['"].*['"][\s\])]*\]$|^\[?\{\}\]?$|^\[\]$/s,
  // PHP, Perl, .NET, Java.
  /^(?:Array|stdClass Object)(?:\s*\(\s*\[|$)/,
  /^(?:[\w:]+=)?(?:HASH|ARRAY|SCALAR|REF)\(0x[\da-f]+\)$/,
  /^System\.(?:Collections\.[\w.]+|\w+\[)/,
  /^(?:\[L?)?[a-z]\w*(?:\.[\w$]+)+;?@[\da-f]{5,8}$/,
];
/** The same, for texts that end with a bracket. */
const STRUCTURE_BEGINS: readonly RegExp[] = [
  // Objects in JSON, Python, Ruby, Java and PowerShell, alone or in a list.
  /^[[(\s]*@?\{\s*(?:u?(['"]).*?\1\s*(?:=>|[:,}])|:?\w+\s*(?:=|:\s*['"\d[{]))/s,
  // Other objects and tuples of Ruby and Python, then R, and Go.
  /^#<\w|^<[\w.:' ]+ at 0x[\da-f]+|^\(u?(['"])[^'"]*\1,/,
  /^(?:OrderedDict|defaultdict|Counter|dict|array|structure|list|c)\((?:[[{'"<]|\w+ = |list\()/,
  /^(?:&\{|\[?map\[\w+:)/,
];

/**
 * Findings about single texts: lost characters, characters that XML cannot contain (service.md,
 * S4), structures that a program printed, HTML, and names of several people.
 */
export function textFindings(attributes: JsonObject): readonly Finding[] {
  return textsIn(attributes).flatMap(([value, steps]) => {
    // A handle cannot lead to such an address.
    if (steps[0] === 'url' && CONTROL.test(value))
      return [findingAt('error', steps, { message: 'holds a control character', value })];
    const messages = DAMAGES.filter(([pattern]) => pattern.test(value)).map(([, text]) => text);
    if (isStructure(value.trim(), steps))
      messages.push('is what a program prints for a structure: write the text that was meant');
    const isName =
      /^(creators|contributors)$/.test(String(steps.at(-3))) && steps.at(-1) === 'name';
    if (isName && holdsOrcid(value))
      messages.push('holds an ORCID iD, which belongs to nameIdentifiers');
    if (isName && holdsSemicolon(value))
      messages.push('holds a semicolon: each person or organization needs an item of its own');
    return [
      ...messages.map((message) => findingAt('warning', steps, { message, value })),
      ...htmlFindings(value, steps),
    ];
  });
}

/** Whether a name of a person or organization contains an ORCID iD. */
export function holdsOrcid(name: string): boolean {
  return /\borcid\.org\/|\b\d{4}(-?\d{4}){2}-?\d{3}[\dX]\b/i.test(name);
}

/** Whether a name contains a semicolon, as in a list of people. References of HTML end with one. */
export function holdsSemicolon(name: string): boolean {
  return name.replace(/&#?\w+;/g, '').includes(';');
}

function isStructure(text: string, steps: Path): boolean {
  const isPrinted =
    STRUCTURES.some((pattern) => pattern.test(text)) ||
    (/[\])}>]$/.test(text) && STRUCTURE_BEGINS.some((pattern) => pattern.test(text)));
  // Zenodo publishes its references as an object of JSON in a description.
  return isPrinted && !(steps[0] === 'descriptions' && isObject(jsonIn(text)));
}
