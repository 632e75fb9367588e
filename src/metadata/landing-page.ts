import type { JsonObject } from '../text/json-values.ts';
import { parseText } from '../text/parsers.ts';
import { type Finding, findingAt } from './findings.ts';

/** The placeholders in the URL of a landing page, but not `${…}`, the variables of a shell. */
const PLACEHOLDER = /(?<!\$)\{(doi|prefix|suffix)\}/g;

/**
 * The URL of a landing page with its placeholders filled in. All but `/` and `:` is
 * percent-encoded, so that a path, a query and a fragment contain exactly the DOI: `?`, `#`, `%`,
 * `&` and `+` would mean something else, and some servers cut paths and queries at `;`. The DOI
 * keeps its letter case, which a server may distinguish.
 */
export function landingPage(url: string, doi: string): string {
  const slash = doi.indexOf('/');
  const parts = { doi, prefix: doi.slice(0, slash), suffix: doi.slice(slash + 1) };
  return url.replace(PLACEHOLDER, (_, name: keyof typeof parts) =>
    encodeURIComponent(parts[name]).replace(/%2F|%3A/g, decodeURIComponent),
  );
}

/** Attributes with their landing page filled in. @param stored a URL that stays as it is. */
export function withLandingPage(
  attributes: JsonObject,
  doi: unknown,
  stored?: unknown,
): JsonObject {
  const { url } = attributes;
  if (typeof url !== 'string' || typeof doi !== 'string' || url === stored) return attributes;
  return { ...attributes, url: landingPage(url, doi) };
}

/** The error for any other brace, which is usually of a misspelled placeholder. */
export function landingPageFindings({ url }: JsonObject): readonly Finding[] {
  if (typeof url !== 'string' || !/[{}]/.test(url.replace(PLACEHOLDER, ''))) return [];
  const message =
    'has a brace that does not belong to {doi}, {prefix} or {suffix}: ' +
    'write %7B and %7D for braces in the address itself';
  return [findingAt('error', ['url'], { message, value: url })];
}

/** Parses the URL of a landing page. @throws {Error} for any other brace. */
export function parseLandingPage(text: string): string {
  const [problem] = landingPageFindings({ url: text });
  if (problem !== undefined) throw new Error(`'${text}' ${problem.message}`);
  return parseText(text);
}
