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

/** Returns whether a value is valid; `errors` contains the errors of the latest call. */
interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/**
 * The validators of a record's attributes, one for each version of the schema
 * (scripts/validators.mjs).
 */
export function validators(formats: Readonly<Record<string, (text: string) => boolean>>): {
  readonly v46: Validator;
  readonly v47: Validator;
};
