import { randomBytes } from 'node:crypto';
import { type Answer, json, problem, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import type { World } from '../state/world.ts';

const MAX_PROPOSED = 100;

/**
 * GET /dois/random?prefix=: proposes an unused DOI, or `size` of them, to any caller, and reserves nothing
 * (service.md, W14). The suffixes have no checksum here.
 */
export function randomDois(world: World, request: Request): Answer {
  const params = new Params(request.query);
  const prefix = params.get('prefix') ?? '';
  if (prefix === '') return problem(422, 'Parameter prefix is required');
  const size = Math.min(MAX_PROPOSED, Math.max(1, Number.parseInt(params.get('size') ?? '1', 10) || 1));
  return json(200, { dois: Array.from({ length: size }, () => freeDoi(world, prefix)) });
}

/** An unused DOI with a prefix. */
export function freeDoi({ catalogue }: Pick<World, 'catalogue'>, prefix: string): string {
  for (;;) {
    const random = randomBytes(4).toString('hex');
    const name = `${prefix}/${random.slice(0, 4)}-${random.slice(4)}`;
    if (catalogue.find(name) === undefined) return name;
  }
}
