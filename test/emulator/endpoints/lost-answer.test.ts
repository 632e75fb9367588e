import { expect, it } from 'vitest';
import { COMPLETE_RECORD } from '../../helpers/records.ts';
import { DEMO, OTHER, serviceWith } from '../service.ts';

const body = (attributes: unknown) => ({ data: { type: 'dois', attributes } });

it('keeps a write whose answer is lost, and still reports a refusal', async () => {
  const service = await serviceWith({ faults: ['lost-answer'] });
  const create = () =>
    service.send('POST', '/dois', body({ ...COMPLETE_RECORD, doi: '10.5072/x' }), DEMO);
  await expect(create()).rejects.toThrow('fetch failed');
  expect((await service.get('/dois/10.5072/x', DEMO)).status).toBe(200);
  expect((await create()).status).toBe(422);
  const change = body({ titles: [{ title: 'New' }] });
  await expect(service.send('PUT', '/dois/10.5072/x', change, DEMO)).rejects.toThrow(
    'fetch failed',
  );
  expect((await service.get('/dois/10.5072/x', DEMO)).text).toContain('"New"');
  expect((await service.send('DELETE', '/dois/10.5072/x', undefined, OTHER)).status).toBe(403);
  await expect(service.send('DELETE', '/dois/10.5072/x', undefined, DEMO)).rejects.toThrow(
    'fetch failed',
  );
  expect((await service.get('/dois/10.5072/x', DEMO)).status).toBe(404);
});
