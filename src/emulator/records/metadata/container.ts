import { filled, type Item, isItem, items } from './values.ts';

/**
 * The container in XML metadata: the work that the record is published in, or else the series in a
 * description such as `Journal of Things, 5(3), 12-15`.
 */
export function containerOf(record: Item): Item | undefined {
  const { types } = record;
  const type =
    isItem(types) && types['resourceTypeGeneral'] === 'Dataset' ? 'DataRepository' : 'Series';
  const item = items(record['relatedItems']).find(
    ({ relationType }) => relationType === 'IsPublishedIn',
  );
  if (item !== undefined) return { type, ...ofItem(item) };
  const series = items(record['descriptions']).find(
    ({ descriptionType }) => descriptionType === 'SeriesInformation',
  );
  const title = String(series?.['description'] ?? '').trim();
  if (/^(,|$)/.test(title)) return undefined;
  const part = items(record['relatedIdentifiers']).find(
    ({ relationType }) => relationType === 'IsPartOf',
  );
  return filled({
    type,
    identifier: part?.['relatedIdentifier'],
    identifierType: part?.['relatedIdentifierType'],
    ...ofSeries(title),
  });
}

function ofItem(item: Item): Item {
  const { relatedItemIdentifier, number, numberType } = item;
  const names = 'volume issue edition number firstPage lastPage'.split(' ');
  const identifier = isItem(relatedItemIdentifier) ? relatedItemIdentifier : {};
  return filled({
    identifier: identifier['relatedItemIdentifier'],
    identifierType: identifier['relatedItemIdentifierType'],
    title: items(item['titles'])[0]?.['title'],
    ...Object.fromEntries(names.map((name) => [name, item[name]])),
    chapterNumber: numberType === 'Chapter' ? number : undefined,
  });
}

/** The parts of a title, a volume with its issue in parentheses, and pages. */
function ofSeries(text: string): Item {
  const parts = text.split(',').map((part) => part.trim());
  const [, volume, issue] =
    /^(.*?)(?:\(([^)]+)\))?$/.exec(parts.length > 2 ? (parts[1] ?? '') : '') ?? [];
  const pages = parts.length > 1 ? parts.at(-1)?.split('-') : undefined;
  return filled({
    title: parts[0],
    volume: volume || undefined,
    issue,
    firstPage: pages?.[0]?.trim(),
    lastPage: pages?.[1]?.trim(),
  });
}
