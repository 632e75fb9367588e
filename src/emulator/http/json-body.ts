import { problem, Refusal } from './answer.ts';

/** @throws Refusal with 400 when the body is no JSON */
export function parseJson(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body === '' ? '{}' : body);
    return value;
  } catch (error) {
    throw new Refusal(
      problem(400, error instanceof Error ? error.message : 'The body is not JSON.'),
    );
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
