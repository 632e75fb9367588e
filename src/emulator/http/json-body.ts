import { problem, Refusal } from './answer.ts';

/** @throws Refusal with 400 when the body is not JSON */
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

/** Members of JSON, with a number as their value if they have one. */
const NUMBER_IN_TEXT =
  /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\d.eE]))?/g;
const TEXT_COLUMNS = ['"version"', '"reason"', '"source"'];

/**
 * The members of a JSON body, without nulls in lists (service.md, W21). Numbers in text columns
 * become texts, as Ruby writes them (service.md, W23).
 */
export function parseAttributes(body: string): unknown {
  const texts = body.replaceAll(
    NUMBER_IN_TEXT,
    (whole, name: string, colon: string | undefined, number: string) =>
      colon !== undefined && TEXT_COLUMNS.includes(name)
        ? `${name}${colon}"${rubyText(number)}"`
        : whole,
  );
  return withoutNulls(parseJson(texts));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutNulls(member)]),
  );
}

/** A number as Ruby prints it: whole numbers with all digits, others with a point. */
function rubyText(number: string): string {
  if (!/[.e]/i.test(number)) return BigInt(number).toString();
  const value = Number(number);
  const size = Math.abs(value);
  if (size === 0) return number.startsWith('-') ? '-0.0' : '0.0';
  if (size >= 1e-4 && size < 1e16) {
    // JavaScript writes numbers of this size without an exponent.
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }
  const [digits = '', power = ''] = value.toExponential().split('e');
  const exponent = `${power.charAt(0)}${power.slice(1).padStart(2, '0')}`;
  return `${digits.includes('.') ? digits : `${digits}.0`}e${exponent}`;
}
