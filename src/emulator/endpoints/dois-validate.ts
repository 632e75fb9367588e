import { type Answer, json, type Request } from '../http/answer.ts';
import type { Identity } from '../state/identity.ts';
import { consumerHeaders } from './consumer.ts';
import { missingFields, wrongFields } from './dois-check.ts';
import { invalid, sentAttributes } from './dois-create.ts';

/**
 * POST /dois/validate: answers 200 even when the record is invalid; the body holds the errors (service.md,
 * W11). The record needs what a Findable one needs, except the URL, which only an event requires. The service
 * checks neither whether the DOI is free nor whether the prefix belongs to the account.
 */
export function validateDoi(request: Request, identity: Identity): Answer {
  const sent = sentAttributes(request, identity, 'new');
  if ('refusal' in sent) return sent.refusal;
  const { account, attributes } = sent;
  const doi = typeof attributes['doi'] === 'string' ? attributes['doi'].toLowerCase() : '';
  const addressed = attributes['event'] === 'publish' || attributes['event'] === 'register';
  const missing = missingFields(attributes, 'findable').filter(([source]) => addressed || source !== 'url');
  const wrong = [
    ...(doi === '' ? [['doi', "can't be blank"] as const] : []),
    ...(doi === '' || /^10\.\d{4,9}\/\S+$/.test(doi) ? [] : [['doi', 'is invalid'] as const]),
    ...missing,
    ...wrongFields(attributes),
  ];
  const headers = consumerHeaders(account);
  if (wrong.length > 0) return { ...invalid(doi, wrong), status: 200, headers };
  const { event: _, ...kept } = attributes;
  return json(200, { data: { id: doi, type: 'dois', attributes: { ...kept, doi } } }, headers);
}
