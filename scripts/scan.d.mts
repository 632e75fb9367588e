/** The text of scan-code.ts. */
export function scanCode(): Promise<string>;
