/** Whether a value is valid settings; `errors` are those of the latest call (scripts/validators.mjs). */
export function validator(): {
  readonly settings: {
    (value: unknown): boolean;
    errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
  };
};
