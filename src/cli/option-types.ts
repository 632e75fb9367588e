import type { Option } from 'commander';

// Known to the type checker only: no object has this member.
declare const MEMBER: unique symbol;

/** An option with the type of the member that it sets in the options of a run. */
export interface TypedOption<Member> extends Option {
  /** As a parameter, so that the members of several options are joined instead of alternatives. */
  readonly [MEMBER]?: (member: Member) => void;
  default(value: undefined, description?: string): this;
  default(value: NonNullable<unknown>, description?: string): this & TypedOption<Required<Member>>;
  makeOptionMandatory(mandatory?: boolean): this & TypedOption<Required<Member>>;
}

/** The name in `--dry-run`, `--out <file>` and `--no-validate`, in the form `dryRun`. */
type NameIn<Flags> = Flags extends `--no-${infer Name}`
  ? Camel<Name>
  : Flags extends `--${infer Name} ${string}`
    ? Camel<Name>
    : Flags extends `--${infer Name}`
      ? Camel<Name>
      : never;
type Camel<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name & string;

/** The type of an option without a parser. */
export type ValueIn<Flags> = Flags extends `${string} <${string}` ? string : boolean;

/** The member that an option sets, by its flags. */
export type MemberOf<Flags, Value> = { readonly [Name in NameIn<Flags>]?: Value };

/**
 * The options of a run, by their declaration:
 * `OptionsOf<typeof revoke>` is `{ readonly yes?: boolean; readonly format: 'text' | 'json' }`.
 */
export type OptionsOf<Declared extends { readonly options: readonly Option[] }> =
  Declared['options'][number] extends TypedOption<infer All>
    ? { [Name in keyof All]: All[Name] }
    : never;
