import schema from '../../../metadata/schema/datacite-4.6.json' with { type: 'json' };

const HEAD = `// A DOI record. Fill it in, save it and close the editor.
// Nothing is sent while it is as it was, or empty. Lines that begin with // are left out. Take out what stays empty.`;

/** What is offered to be filled in: each property, the comments in front of it, and its value where it has one. */
const PARTS: readonly (readonly [name: string, comments: readonly string[], value: string | undefined])[] = [
  ['doi', ['"doi": "10.5072/my-suffix" for a DOI of your own choice, or the prefix alone:'], undefined],
  ['prefix', [], '""'],
  [
    'event',
    ['Without an event it becomes a Draft, which nobody else sees.', '"event": "publish",'],
    undefined,
  ],
  ['titles', [], '[{ "title": "" }]'],
  [
    'creators',
    ['People: "Family, Given". Organizations: { "name": "…", "nameType": "Organizational" }'],
    `[
    {
      "name": "",
      // "nameIdentifiers": [{ "nameIdentifier": "https://orcid.org/…", "nameIdentifierScheme": "ORCID" }],
      // "affiliation": [{ "name": "…" }],
      "nameType": "Personal"
    }
  ]`,
  ],
  ['publisher', [], '{ "name": "" }'],
  ['publicationYear', [], '2000'],
  ['types', ['@resourceTypeGeneral'], '{ "resourceTypeGeneral": "Dataset" }'],
  ['subjects', ['"subjects": [{ "subject": "…" }],'], undefined],
  ['descriptions', ['"descriptions": [{ "description": "…", "descriptionType": "Abstract" }],'], undefined],
  ['url', ['The page that the DOI leads to.'], '""'],
];

/**
 * A record to be filled in, as JSON with comments.
 * @param given what is known already takes the place of what is offered.
 * @param year of today.
 */
export function recordTemplate(given: Readonly<Record<string, unknown>>, year: number): string {
  const named = new Set(PARTS.map(([name]) => name));
  const lines: string[] = [];
  const members: string[] = [];
  const comment = (text: string) => `  // ${text}`;
  let above: string[] = [];
  for (const [name, comments, offered] of PARTS) {
    above.push(...comments.flatMap(listed).map(comment));
    // A DOI of one's own needs no prefix.
    const value =
      name in given ? laidOut(given[name]) : name === 'prefix' && 'doi' in given ? undefined : offered;
    if (value === undefined) continue;
    members.push(
      [...above, `  "${name}": ${name === 'publicationYear' && !(name in given) ? year : value}`].join('\n'),
    );
    above = [];
  }
  for (const [name, value] of Object.entries(given)) {
    if (!named.has(name)) members.push(`  ${JSON.stringify(name)}: ${laidOut(value)}`);
  }
  lines.push(HEAD, '{', members.join(',\n'), '}', '');
  return lines.join('\n');
}

/** The values of a controlled list, a few on each line. */
function listed(comment: string): string[] {
  if (!comment.startsWith('@')) return [comment];
  const { enum: values } = schema.$defs.resourceTypeGeneral;
  const words = values.filter((value) => value !== null);
  const lines: string[] = [];
  for (let at = 0; at < words.length; at += 8) lines.push(words.slice(at, at + 8).join(', '));
  return lines;
}

function laidOut(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ');
}
