import { randomInt } from 'node:crypto';
import { type Answer, json, problem, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';

const MAX_PROPOSED = 100;

/**
 * GET /dois/random?prefix=: proposes a DOI, or `size` of them, to any caller. It does not check
 * whether a DOI is used, and reserves none (service.md, W14). `number` determines the suffix.
 */
export function randomDois(request: Request): Answer {
  const params = new Params(request.query);
  const prefix = params.get('prefix') ?? '';
  if (prefix === '') return problem(422, 'Parameter prefix is required');
  if (!/^10\.\d{4,5}/.test(prefix)) return problem(500, 'No valid prefix found');
  const size = Math.min(MAX_PROPOSED, Number.parseInt(params.get('size') ?? '1', 10) || 0);
  const number = Number(params.get('number')?.replaceAll(/\D/g, '') ?? 0);
  return json(200, { dois: Array.from({ length: size }, () => randomDoi(prefix, number)) });
}

const LARGEST = 1_073_741_823;

/**
 * A DOI with a prefix, or with a prefix and the beginning of a suffix, used or not.
 *
 * @param number source of the suffix; 0 means a random one
 */
export function randomDoi(prefix: string, number = 0): string {
  const [plain = '', shoulder] = prefix.split('/');
  const start = shoulder === undefined || shoulder === '' ? `${plain}/` : `${plain}/${shoulder}-`;
  return (start + suffix(number > 0 ? number : randomInt(LARGEST))).toLowerCase();
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A number in base 32 with two check digits, in groups of four. */
function suffix(number: number): string {
  const digits = [...number.toString(32)]
    .map((digit) => DIGITS[Number.parseInt(digit, 32)])
    .join('');
  const check = String(98 - Number((100n * BigInt(number)) % 97n)).padStart(2, '0');
  return `${digits}${check}`.padStart(8, '0').replaceAll(/(.{4})(?=.)/g, '$1-');
}
