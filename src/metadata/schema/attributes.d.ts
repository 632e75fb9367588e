/** An error of a validator, as ajv describes it. */
export interface SchemaError {
  /** The place of the value, as a JSON pointer. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The value. */
  readonly data?: unknown;
  /** The schema that has the keyword. */
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/** Whether a value is valid; `errors` are those of the latest call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/**
 * Makes a validator of a record's attributes (scripts/validators.mjs).
 * @param $defs the definitions of the schema, or of a version of it with fewer properties and values.
 */
export function validator(
  $defs: object,
  formats: Readonly<Record<string, (text: string) => boolean>>,
): Validator;
