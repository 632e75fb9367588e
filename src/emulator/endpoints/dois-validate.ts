import { type Answer, json, type Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import { wrongIn } from '../records/metadata/check.ts';
import type { Identity } from '../state/identity.ts';
import { shown } from '../state/stored-doi.ts';
import { accept, xmlAfter } from './accept.ts';
import { emptyRecord } from './build-record.ts';
import { consumerHeaders } from './consumer.ts';
import { invalid, sentAttributes } from './dois-create.ts';
import { type Defaults, readView } from './view.ts';

/**
 * POST /dois/validate: answers 200 even when the record is invalid; the body contains the errors
 * (service.md, W11). The record is checked as a Findable one, except for the URL, which only an
 * event requires. The service does not check whether the DOI is free, or the prefix belongs to the
 * account.
 */
export function validateDoi(defaults: Defaults, request: Request, identity: Identity): Answer {
  const sent = sentAttributes(request, identity, 'new');
  if ('refusal' in sent) return sent.refusal;
  const { account, attributes } = sent;
  const accepted = accept(attributes);
  const doi = typeof accepted.doi === 'string' ? accepted.doi.toLowerCase() : '';
  const resolves = accepted.event === 'publish' || accepted.event === 'register';
  const merged = { ...emptyRecord(''), ...accepted.attributes, doi };
  const xml = xmlAfter(accepted, merged, undefined);
  const wrong = wrongIn({ doi, attributes: merged, xml, isNew: true, resolves, complete: true });
  const headers = consumerHeaders(account);
  if (wrong.length > 0) return { ...invalid(doi, wrong, account), status: 200 };
  const view = { ...readView(defaults, new Params(request.query)), detail: false };
  return json(200, { data: { id: doi, type: 'dois', attributes: shown(merged, view) } }, headers);
}
