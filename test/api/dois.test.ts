import { describe, expect, it, onTestFinished } from 'vitest';
import { createDoi, deleteDoi, doiBody, findDoi, getDoi, updateDoi } from '../../src/api/dois.ts';
import { Caller } from '../../src/api/http/caller.ts';
import { Http } from '../../src/api/http/http.ts';
import { type Answer, answer, reset, serve } from '../helpers/server.ts';

const record = (attributes: object = {}) => ({
  data: { id: '10.5072/x', type: 'dois', attributes },
});
const gone = answer(404, { errors: [{ status: '404', title: 'not there' }] });
const failed = answer(502, 'x');
const nothing: Answer = (response) => response.writeHead(204).end();

async function serviceWith(...answers: readonly Answer[]) {
  const { url, asked } = await serve(...answers);
  const http = new Http({
    mask: (text) => text,
    baseUrl: url,
    authorization: 'Basic eA==',
    userAgent: 'test',
    timeoutMs: 5000,
    retries: 3,
    signal: new AbortController().signal,
    now: Date.now,
    random: () => 0.5,
    sleep: async () => undefined,
    onRetry: () => undefined,
  });
  onTestFinished(() => http.close());
  const methods = () => asked.map(({ method }) => method).join(' ');
  return { service: { http, caller: new Caller(undefined) }, methods, exchanges: asked };
}

describe('a DOI', () => {
  it('is the resource object as it is spelled, on one line', async () => {
    const { service } = await serviceWith((response) =>
      response.end(
        '{ "data" : {"id":"10.5072/X",\n "attributes":{"n":1.0, "t":"a  \\u00e9"}},"meta":{}}',
      ),
    );
    const doi = await getDoi(service, '10.5072/x');
    expect(doi.text).toBe('{"id":"10.5072/X","attributes":{"n":1.0,"t":"a  \\u00e9"}}');
    expect(doi).toMatchObject({ id: '10.5072/X', attributes: { t: 'a  é' } });
  });
  it('is read with affiliations and publisher as objects', async () => {
    const { service, exchanges } = await serviceWith(gone);
    expect(await findDoi(service, '10.5072/a/b')).toBeUndefined();
    await expect(getDoi(service, '10.5072/a/b')).rejects.toMatchObject({ kind: 'not-found' });
    const url = '/dois/10.5072%2Fa%2Fb?affiliation=true&publisher=true';
    expect(exchanges).toMatchObject([{ url }, { url }]);
  });
  it('must be in the answer', async () => {
    for (const body of [{ data: [] }, { data: {} }, {}]) {
      const { service } = await serviceWith(answer(201, body));
      await expect(createDoi(service, doiBody({}), (record) => [record, {}])).rejects.toMatchObject(
        { kind: 'unavailable' },
      );
    }
  });
});

describe('createDoi', () => {
  it('is never repeated', async () => {
    for (const failing of [reset, failed, answer(500, { errors: [] }), answer(200, 'page')]) {
      const { service, methods } = await serviceWith(failing, answer(201, record()));
      await expect(createDoi(service, doiBody({}), (record) => [record, {}])).rejects.toMatchObject(
        { kind: 'unavailable' },
      );
      expect(methods()).toBe('POST');
    }
  });
});

const titled = (title: string) => ({ titles: [{ title }] });
const BEFORE = { id: '10.5072/x', attributes: { url: 'https://example.org/old', state: 'draft' } };

describe('updateDoi', () => {
  const body = doiBody({ url: 'https://example.org/new', event: 'publish' });
  const done = record({ url: 'https://example.org/new', state: 'findable', other: 1 });
  it('whose answer is lost is settled by reading', async () => {
    const { service, methods } = await serviceWith(reset, answer(200, done));
    expect(await updateDoi(service, BEFORE, body)).toMatchObject({ id: '10.5072/x' });
    expect(methods()).toBe('PUT GET');
  });
  it.each([
    ['the old value', record({ url: 'https://example.org/old', state: 'findable' })],
    ['another state', record({ url: 'https://example.org/new', state: 'draft' })],
  ])('is sent again where the record has %s', async (_, before) => {
    const { service, methods } = await serviceWith(failed, answer(200, before), answer(200, done));
    await updateDoi(service, BEFORE, body);
    expect(methods()).toBe('PUT GET PUT');
  });
  it.each([
    ['looks like what was sent', titled('H<sub>2</sub>O'), titled('H2O')],
    ['was sent as XML', {}, { xml: 'PHJlc291cmNlLz4=' }],
  ])('is sent again where what the record has %s', async (_, before, sent) => {
    const looks = [before, sent].map((attributes) => answer(200, record(attributes)));
    const { service, methods } = await serviceWith(failed, ...looks);
    await updateDoi(service, BEFORE, doiBody(sent));
    expect(methods()).toBe('PUT GET PUT');
  });
  it('is not sent again where the record cannot be read', async () => {
    const { service, methods } = await serviceWith(reset, answer(503, 'x'));
    await expect(updateDoi(service, BEFORE, body)).rejects.toMatchObject({
      kind: 'unavailable',
      message: /may have been carried out/,
    });
    expect(methods()).toMatch(/^PUT( GET)+$/);
  });
  it('is not repeated when it is refused', async () => {
    const refusal = answer(422, { errors: [{ source: 'url', title: 'is bad' }] });
    const { service, methods } = await serviceWith(refusal);
    await expect(updateDoi(service, BEFORE, body)).rejects.toMatchObject({ kind: 'rejected' });
    expect(methods()).toBe('PUT');
  });
});

describe('deleteDoi', () => {
  it('whose answer is lost is settled by reading', async () => {
    const { service, methods } = await serviceWith(reset, gone);
    await deleteDoi(service, '10.5072/x');
    expect(methods()).toBe('DELETE GET');
  });
  it('is sent again where the record is there', async () => {
    const { service, methods } = await serviceWith(failed, answer(200, record()), nothing);
    await deleteDoi(service, '10.5072/x');
    expect(methods()).toBe('DELETE GET DELETE');
  });
  it('of what has been deleted meanwhile is done, of what never was is not', async () => {
    const away = answer(503, 'x');
    const repeated = await serviceWith(reset, away, away, away, gone);
    await deleteDoi(repeated.service, '10.5072/x');
    expect(repeated.methods()).toMatch(/^DELETE GET GET GET DELETE GET$/);
    const never = await serviceWith(gone);
    await expect(deleteDoi(never.service, '10.5072/x')).rejects.toMatchObject({
      kind: 'not-found',
    });
    expect(never.methods()).toBe('DELETE');
  });
});
