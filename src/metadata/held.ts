import { isObject, type JsonObject, type Path, pathText } from '../text/json-values.ts';
import { corrected } from './corrections.ts';
import type { Finding } from './findings.ts';
import { storedLanguage } from './language.ts';
import { isStaleXml } from './xml.ts';

/**
 * What the service holds of the attributes that a request sends, as far as that is certain: without what it
 * drops, with corrections carried out, and with a language as its code. What it adds by itself is left out.
 * @param findings about these attributes.
 */
export function heldAttributes(attributes: JsonObject, findings: readonly Finding[]): JsonObject {
  const dropped = new Set(findings.filter((finding) => finding.dropped).map(({ path }) => path));
  const kept = keptOf(corrected(attributes).attributes, [], dropped) as Record<string, unknown>;
  if (isStaleXml(attributes)) delete kept['xml'];
  const { language } = kept;
  if (typeof language === 'string') kept['language'] = storedLanguage(language) ?? language;
  return kept;
}

function keptOf(value: unknown, steps: Path, dropped: ReadonlySet<string>): unknown {
  const isKept = (step: string | number) => !dropped.has(pathText([...steps, step]));
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => (isKept(index) ? [keptOf(item, [...steps, index], dropped)] : []));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      isKept(name) ? [[name, keptOf(member, [...steps, name], dropped)]] : [],
    ),
  );
}
