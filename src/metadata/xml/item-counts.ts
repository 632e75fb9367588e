import { elementsIn, localName, MalformedXml, parsedXml } from './parse.ts';

/**
 * The number of items with text in each list of DataCite XML, by the name of the list. Equal
 * subjects count once, as the service stores them (service.md, W20).
 */
export function itemCounts(source: string): Readonly<Record<string, number>> {
  const parsed = parsedXml(source);
  if (parsed instanceof MalformedXml || parsed.root === undefined) return {};
  const counts = elementsIn(parsed.root).map((list) => {
    const items = elementsIn(list).filter(({ text }) => text.trim() !== '');
    // The service removes superfluous blanks from subjects (service.md, W24).
    const texts = items.map(({ text, attributes }) =>
      JSON.stringify([text.replace(/\s+/g, ' ').trim(), attributes]),
    );
    const name = localName(list);
    return [name, name === 'subjects' ? new Set(texts).size : texts.length];
  });
  return Object.fromEntries(counts);
}
