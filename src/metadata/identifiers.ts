import { type JsonObject, objectsOf } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';

/** An item of `identifiers`; `alternateIdentifiers` has longer names for the same members. */
interface Identifier {
  readonly identifier?: unknown;
  readonly identifierType?: unknown;
}

/** `alternateIdentifiers` as the `identifiers` that the service stores (service.md, S8). */
export function asIdentifiers(list: unknown): readonly Identifier[] {
  return objectsOf(list).map((item) => ({
    identifier: item['alternateIdentifier'],
    identifierType: item['alternateIdentifierType'],
  }));
}

/** `identifiers` as the `alternateIdentifiers` that the service returns for them. */
export function asAlternate(list: unknown): readonly JsonObject[] {
  return objectsOf(list).map(({ identifier, identifierType }) => ({
    alternateIdentifierType: identifierType,
    alternateIdentifier: identifier,
  }));
}

/** Whether two lists of identifiers are equal, apart from type DOI, which is dropped (S8). */
export function sameIdentifiers(a: unknown, b: unknown): boolean {
  const plain = (list: unknown) =>
    JSON.stringify(
      objectsOf(list)
        .filter(({ identifierType }) => identifierType !== 'DOI')
        .map(({ identifier, identifierType }) => [identifier ?? null, identifierType ?? null]),
    );
  return plain(a) === plain(b);
}

/** The warning about two lists that differ. */
export function differenceFinding({ alternateIdentifiers: value }: JsonObject): Finding {
  const message = 'differs from identifiers, which wins';
  return findingAt('warning', ['alternateIdentifiers'], { message, value, dropped: true });
}
