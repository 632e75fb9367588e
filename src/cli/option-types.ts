import type { Option } from 'commander';

// Known to the type checker only: no object has these members.
declare const MEMBER: unique symbol;
declare const ALWAYS: unique symbol;

/** An option that a default, or a check, sets in each run. */
interface Always {
  readonly [ALWAYS]?: true;
}

/** An option with the type of the member that it sets in the options of a run. */
export interface TypedOption<Member> extends Option {
  readonly [MEMBER]?: Member;
  default(value: undefined, description?: string): this;
  default(value: NonNullable<unknown>, description?: string): this & Always;
  makeOptionMandatory(mandatory?: boolean): this & Always;
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

type MemberIn<Made> =
  Made extends TypedOption<infer Member>
    ? Made extends Always
      ? Required<Member>
      : Member
    : unknown;
type Joined<Members> = (Members extends unknown ? (member: Members) => void : never) extends (
  all: infer All,
) => void
  ? { [Name in keyof All]: All[Name] }
  : never;

/**
 * The options of a run, by their declaration:
 * `OptionsOf<typeof revoke>` is `{ readonly yes?: boolean; readonly format: 'text' | 'json' }`.
 */
export type OptionsOf<Declared extends { readonly options: readonly Option[] }> = Joined<
  MemberIn<Declared['options'][number]>
>;
