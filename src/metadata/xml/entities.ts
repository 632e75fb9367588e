const QUOTED = /"[^"]*"|'[^']*'/.source;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/.source;
const INSTRUCTION = /<\?[\s\S]*?(?:\?>|$)/.source;
/** The text before a document type, and its declarations. */
const DOCTYPE = new RegExp(
  String.raw`^(?:\s|\ufeff|${INSTRUCTION}|${COMMENT})*<!DOCTYPE(?:[^>["']|${QUOTED})*` +
    String.raw`\[((?:${COMMENT}|${INSTRUCTION}|${QUOTED}|[^\]"'<]|<(?!!--|\?))*)\]\s*>`,
);
const NAME = /[\p{L}_:][\p{L}\p{N}_:.-]*/u.source;
const DECLARED = new RegExp(
  String.raw`${COMMENT}|${INSTRUCTION}|<!ENTITY\s+(${NAME})\s+(?:(SYSTEM|PUBLIC)\b|(${QUOTED}))`,
  'gu',
);
/** Comments, CDATA and instructions, which stay as they are; tags; references to entities. */
const PART = new RegExp(
  String.raw`${COMMENT}|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|${INSTRUCTION}` +
    `|(<[^!?](?:[^<>"']|${QUOTED})*>)|&(${NAME});`,
  'gu',
);
const REFERENCE = new RegExp(`&(${NAME});`, 'gu');

// The limit of the service (REXML), and a length that no metadata has.
const MAX_REFERENCES = 10_000;
const MAX_LENGTH = 1_000_000;

/** An error for entities that cannot be replaced. */
export class EntityError extends Error {}

/**
 * XML whose references to entities are replaced by the values that its document type declares: the
 * service cannot check elements that contain such references (service.md, S11).
 * @throws {EntityError} for entities in another file, in themselves, or with too much text.
 */
export function withoutEntities(text: string): string {
  const [head, declarations] = DOCTYPE.exec(text) ?? [];
  if (head === undefined || !declarations?.includes('<!ENTITY')) return text;
  const entities = new Entities(declarations);
  const body = text.slice(head.length).replaceAll(PART, (part, tag: string, name: string) => {
    if (name !== undefined) return entities.replace(part, name, []);
    return tag === undefined ? part : entities.replaceInTag(tag);
  });
  return head + body;
}

class Entities {
  readonly #values = new Map<string, string | undefined>();
  #references = 0;
  #length = 0;

  constructor(declarations: string) {
    for (const [, name, , value] of declarations.matchAll(DECLARED)) {
      // The first declaration of a name counts.
      if (name !== undefined && !this.#values.has(name))
        this.#values.set(name, value === undefined ? undefined : withCharacters(value));
    }
  }

  /** @param inside the entities that contain the reference. */
  replace(reference: string, name: string, inside: readonly string[]): string {
    if (!this.#values.has(name)) return reference;
    const value = this.#values.get(name);
    if (value === undefined) throw new EntityError(`The entity ${name} is in another file`);
    if (inside.includes(name)) throw new EntityError(`The entity ${name} contains itself`);
    this.#references += 1;
    this.#length += value.length;
    if (this.#references > MAX_REFERENCES || this.#length > MAX_LENGTH)
      throw new EntityError(`The entity ${name} has too much text`);
    return value.replaceAll(REFERENCE, (inner, innerName: string) =>
      this.replace(inner, innerName, [...inside, name]),
    );
  }

  replaceInTag(tag: string): string {
    return tag.replaceAll(REFERENCE, (reference, name: string) => {
      const value = this.replace(reference, name, []);
      return value.replaceAll('"', '&quot;').replaceAll("'", '&#39;');
    });
  }
}

/** A quoted value of an entity, in which references to characters are replaced once. */
function withCharacters(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(/&#(?:x([\da-fA-F]+)|(\d+));/g, (whole, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}
