import type { Path } from '../text/json-places.ts';
import schema from './schema/datacite-4.6.json' with { type: 'json' };

interface Node {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

/** The JSON types that the schema allows at a path below the attributes; none where it knows no such place. */
export function typesAt(path: Path): readonly string[] {
  let node: Node | undefined = { $ref: '#/$defs/attributes' };
  for (const step of path) {
    const holder: Node | undefined = resolved(node);
    node = typeof step === 'number' ? holder?.items : holder?.properties?.[step];
  }
  return [resolved(node)?.type ?? []].flat();
}

function resolved(node: Node | undefined): Node | undefined {
  if (node?.$ref === undefined) return node;
  const defs: Readonly<Record<string, unknown>> = schema.$defs;
  return defs[node.$ref.replace('#/$defs/', '')] as Node | undefined;
}
