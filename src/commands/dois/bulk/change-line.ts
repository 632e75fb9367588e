import { type Attributes, type Doi, deleteDoi, findDoi, getDoi, updateDoi } from '../../../api/dois.ts';
import { matchesRequest } from '../../../api/record-match.ts';
import { CliError } from '../../../errors.ts';
import { type Change, changesMember } from '../../../records/changes.ts';
import { parseRecord } from '../../../records/document.ts';
import { requireDraft } from '../../../records/draft.ts';
import type { LineResult, Outcome } from '../../../records/entry.ts';
import { getExistingDoi, refuseIneffective } from '../../../records/existing-doi.ts';
import { withLocations } from '../../../records/findings.ts';
import type { LineTask } from '../../../records/run.ts';
import { ACTIONS, type EventVerb, planEvent } from '../../../records/state-plan.ts';
import { stateProblem } from '../../../records/state-problem.ts';
import { planUpdate, type UpdatePlan } from '../../../records/update-plan.ts';
import { droppedMember, errorsIn, problemsOf, readLine, readName } from './line-record.ts';
import { type LineWork, pause, refuse, resultOf } from './line-work.ts';

/** What carrying out changes takes; nothing is sent without a lock. */
type ChangeWork = Pick<LineWork, 'context' | 'service' | 'lines'> & Partial<Pick<LineWork, 'lock'>>;

/** A change of one record that is not sent yet. */
interface PlannedChange {
  /** The record as it is. */
  readonly before: Doi;
  readonly changes: readonly Change[];
  /** Sends it, unless the record is as asked; the record as it is then. */
  readonly send: (() => Promise<LineResult>) | undefined;
  readonly dropped?: LineResult['dropped'];
}

/**
 * Changes the record of a line, or deletes it. It is read first: a record that is as asked is not sent, and the
 * service would create a record that does not exist (service.md, W12) or ignore an event that does not fit
 * (service.md, W4).
 * @throws {CliError} the failure of this line.
 */
export async function changeLine(work: ChangeWork, task: LineTask): Promise<LineResult> {
  const planned = await plan(work, task);
  if (planned === undefined) return gone(work, task, 'unchanged');
  const { before, changes, send, dropped } = planned;
  const others = dropped === undefined ? {} : { dropped };
  if (work.lock === undefined) {
    const outcome = send === undefined ? 'unchanged' : 'valid';
    return resultOf(work, task, before, { outcome, changes: changesMember(changes), errors: [], ...others });
  }
  if (send === undefined)
    return resultOf(work, task, before, { outcome: 'unchanged', errors: [], ...others });
  return { ...(await send()), ...others };
}

/** The change that a line asks for; undefined for a DOI to delete that does not exist. */
async function plan(work: ChangeWork, task: LineTask): Promise<PlannedChange | undefined> {
  const { command, set } = work.lines;
  if (command === 'update' && set.length === 0) return planOwnUpdate(work, task);
  const { doi = '', failure } = readName(task.text, task.line, work.lines);
  if (failure !== undefined) throw new CliError('rejected', failure);
  if (command === 'delete') return planDeletion(work, task, doi);
  const before = await getExistingDoi(work.service, doi, { expanded: true });
  if (command === 'update') return planSet(work, task, before);
  return planStateChange(work, task, command as EventVerb, before);
}

/** The attributes of the line replace those of the record. */
async function planOwnUpdate(work: ChangeWork, task: LineTask): Promise<PlannedChange> {
  const record = readLine(task.text, task.line, work.lines);
  refuse(problemsOf(record, work.lines));
  const before = await getExistingDoi(work.service, record.parsed.doi ?? '', { expanded: true });
  return updateOf(work, task, before, planUpdate(before, record.parsed, [], record.event));
}

function planSet(work: ChangeWork, task: LineTask, before: Doi): PlannedChange {
  const { set, event } = work.lines;
  return updateOf(work, task, before, planUpdate(before, undefined, set, event));
}

function updateOf(
  work: ChangeWork,
  task: LineTask,
  before: Doi,
  { record, request, findings, held, changes, isUnchanged }: UpdatePlan,
): PlannedChange {
  const { event, body } = request;
  if (work.lines.validate) {
    refuseIneffective(work.context, event, before);
    refuse(errorsIn(findings));
  }
  const send = async () => {
    const after = await put(work, before, body, { ...held, event }).catch((error: unknown) => {
      throw withLocations(error, record);
    });
    const problem = stateProblem(after, 'updated', event);
    const errors =
      problem === undefined ? [] : [{ path: 'state', message: work.context.redactor.mask(problem) }];
    return resultOf(work, task, after, { outcome: 'updated', errors });
  };
  return { before, changes, send: isUnchanged ? undefined : send, ...droppedMember(findings) };
}

function planStateChange(work: ChangeWork, task: LineTask, command: EventVerb, before: Doi): PlannedChange {
  const { context, lines } = work;
  const planned = planEvent(context, command, before, lines);
  if (planned === undefined) return { before, changes: [], send: undefined };
  const { attributes, body, changes } = planned;
  const send = async () => {
    const after = await put(work, before, body, attributes).catch((error: unknown) => {
      throw withLocations(error, parseRecord(before.text, before.id));
    });
    const problem = stateProblem(after, ACTIONS[command], command);
    // Without the state that it is about, the event had no effect.
    if (problem !== undefined) throw new CliError('rejected', problem);
    return resultOf(work, task, after, { outcome: ACTIONS[command], errors: [] });
  };
  return { before, changes, send };
}

async function planDeletion(
  work: ChangeWork,
  task: LineTask,
  doi: string,
): Promise<PlannedChange | undefined> {
  const { context, service } = work;
  const before = await findDoi(service, doi);
  if (before === undefined) return undefined;
  requireDraft(context, before);
  const send = async () => {
    await sent(work, {
      write: () => deleteDoi(service, before.id),
      find: async () =>
        (await findDoi(service, before.id)) === undefined ? { value: undefined } : undefined,
    });
    return gone(work, task, 'deleted');
  };
  return { before, changes: [{ path: 'state', before: before.attributes['state'], after: undefined }], send };
}

/** The result of a line whose DOI does not exist any more. */
function gone({ lines }: ChangeWork, { text, line }: LineTask, outcome: Outcome): LineResult {
  return { line, doi: readName(text, line, lines).doi ?? null, state: null, outcome, errors: [] };
}

/** Sends attributes for a record until it is known that it holds them. */
function put(work: ChangeWork, { id }: Doi, body: string, attributes: Attributes): Promise<Doi> {
  return sent(work, {
    write: () => updateDoi(work.service, id, body),
    find: async () => {
      const now = await getDoi(work.service, id, { expanded: true });
      return matchesRequest(now.attributes, attributes, { exact: false }) ? { value: now } : undefined;
    },
  });
}

interface Attempt<T> {
  write(): Promise<T>;
  /** The result of a request whose answer was lost; undefined when it had no effect. */
  find(): Promise<{ value: T } | undefined>;
}

/** Sends a request, again only if the lost attempt before had no effect. */
async function sent<T>(work: ChangeWork, { write, find }: Attempt<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    await work.lock?.check();
    try {
      return await write();
    } catch (error) {
      const isTransient =
        error instanceof CliError &&
        (error.kind === 'unavailable' || (error.kind === 'throttled' && error.status !== 429));
      if (!isTransient || attempt > work.context.options.retries) throw error;
      await pause(work, attempt, error);
      const found = await find();
      if (found !== undefined) return found.value;
    }
  }
}
