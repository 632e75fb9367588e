import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';
import { hostileService } from './service.ts';

describe('the hostile service', () => {
  it('is honest without a lie: a list of it is complete', async () => {
    const { env } = await hostileService(() => undefined);
    const { code, stdout } = await run(['dois', 'list', '--all', '--page-size', '100'], { env });
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(250);
  });
});
