/** The text of an entity by its name; undefined for an unknown one. */
export type Resolver = (name: string) => string | undefined;

const DECLARATION = /<!ENTITY\s+([\w:.-]+)\s+(?:"([^"]*)"|'([^']*)')/g;
const REFERENCE = /&([\w:.-]+);/g;

/** The service's limits for references in a document, and for the text of one entity (REXML). */
const [MAX_REFERENCES, MAX_TEXT] = [10_000, 10_240];

interface Entities {
  /** @throws TypeError beyond a limit */
  readonly named: Resolver;
  readonly refersToEntity: (text: string) => boolean;
}

/** The entities that an XML document declares itself; entities in other files are not read. */
export function entitiesOf(xml: string): Entities {
  const [type = ''] = /<!DOCTYPE[\s\S]*?(?=<[\w:-]+[\s>])/.exec(xml) ?? [];
  const texts = new Map<string, string>();
  for (const found of type.replaceAll(/<!--[\s\S]*?-->/g, '').matchAll(DECLARATION)) {
    const [, name = '', double, single = ''] = found;
    if (!texts.has(name))
      texts.set(
        name,
        replaced(double ?? single, () => undefined),
      );
  }
  let count = 0;
  const named: Resolver = (name) => {
    const text = texts.get(name);
    if (text === undefined) return undefined;
    count += 1;
    if (count > MAX_REFERENCES) throw new TypeError('number of entity expansions exceeded');
    const whole = text.replaceAll(REFERENCE, (reference, inner) => named(inner) ?? reference);
    if (whole.length > MAX_TEXT) throw new TypeError('entity expansion has grown too large');
    return whole;
  };
  const refersToEntity = (text: string) =>
    [...text.matchAll(REFERENCE)].some(([, name = '']) => texts.has(name));
  return { named, refersToEntity };
}

const PREDEFINED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** A text whose references are replaced. @param named the entities of the document. */
export function resolved(text: string, named: Resolver = () => undefined): string {
  return replaced(text, (name) => PREDEFINED.get(name) ?? named(name));
}

function replaced(text: string, named: Resolver): string {
  return text.replaceAll(
    /&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|([\w:.-]+));/g,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return named(String(name)) ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
