import { type Client, clients } from './clients.ts';
import { pick, stream } from './hash.ts';
import { TYPES, type TypeOfResource } from './types.ts';

/** Records in one turn of the pattern. */
export const PERIOD = 1000;

export type State = 'findable' | 'registered' | 'draft';

/** What lists can be filtered by, apart from times. */
export interface Kind {
  readonly clientId: string;
  readonly providerId: string;
  readonly prefix: string;
  readonly state: State;
  /** The resource type in the spelling of the `resource-type-id` filter, e.g. `physical-object`. */
  readonly resourceTypeId: string;
}

/** One place in the pattern: all records whose index is the same modulo the period share it. */
export interface Slot extends Kind {
  readonly client: Client;
  readonly type: TypeOfResource;
  /** Records of one bulk import share a group, hence one instant of creation. */
  readonly group: number;
  /** The last update's position between creation (0) and the end of the timeline (1). */
  readonly updateShare: number;
  /** Seconds between creation and registration. */
  readonly registerDelay: number;
  /** Years between publication and creation. */
  readonly age: number;
}

export interface Pattern {
  readonly slots: readonly Slot[];
  readonly groups: number;
  readonly clients: readonly Client[];
}

/**
 * The repeating table that decides client, prefix, state, type and the spacing in time. Because
 * everything that can be filtered comes from here, a filter over any number of records is
 * arithmetic over `PERIOD` slots.
 *
 * @param ownerId the repository account (lower case) whose records include all three states
 */
export function buildPattern(seed: number, ownerId: string): Pattern {
  const draw = stream(seed ^ 0x7a11);
  const all = clients(ownerId);
  const slots: Slot[] = [];
  const owned = new Map<Client, number>();
  let groups = 0;
  const addGroup = (client: Client, size: number, states?: readonly State[]) => {
    const prefix = pick(client.prefixes, draw());
    for (let n = 0; n < size && slots.length < PERIOD; n++) {
      slots.push(
        makeSlot(client, prefix, states?.[n % states.length] ?? drawState(draw()), groups, draw),
      );
      owned.set(client, (owned.get(client) ?? 0) + 1);
    }
    groups++;
  };
  // The opening is fixed so that a handful of records already shows ties, several members and every
  // state.
  for (const client of all) {
    if (client.id === ownerId) addGroup(client, 3, ['findable', 'registered', 'draft']);
    else addGroup(client, client.weight > 5 ? 3 : 1, ['findable']);
  }
  while (slots.length < PERIOD) {
    const size = groupSize(draw());
    const client = mostBehind(all, owned, size, draw);
    // The owner of the demonstration records gets more Draft and Registered records than others.
    addGroup(client, size, client.id === ownerId ? OWNER_STATES : undefined);
  }
  return { slots, groups, clients: all };
}

function makeSlot(
  client: Client,
  prefix: string,
  state: State,
  group: number,
  draw: () => number,
): Slot {
  const type = pick(TYPES, draw());
  return {
    client,
    clientId: client.id,
    providerId: client.providerId,
    prefix,
    state,
    resourceTypeId: type.id,
    type,
    group,
    updateShare: draw() < 0.5 ? 0 : draw() ** 3,
    registerDelay: draw() < 0.4 ? 0 : 1,
    age: draw() < 0.6 ? 0 : Math.floor(draw() ** 2 * 40),
  };
}

function drawState(draw: number): State {
  if (draw < 0.92) return 'findable';
  return draw < 0.96 ? 'registered' : 'draft';
}

const OWNER_STATES: readonly State[] = ['findable', 'findable', 'registered', 'findable', 'draft'];

/**
 * The client that is furthest below its share. Random choice alone strays too far from the weights
 * within one period.
 */
function mostBehind(
  all: readonly Client[],
  owned: ReadonlyMap<Client, number>,
  size: number,
  draw: () => number,
): Client {
  const ranked = all.map((client) => {
    const share = ((owned.get(client) ?? 0) + size) / client.weight;
    return { client, share: share * (0.7 + 0.6 * draw()) };
  });
  return ranked.reduce((best, other) => (other.share < best.share ? other : best)).client;
}

/** Mostly single deposits, some batches, and a few bulk imports larger than the default page. */
function groupSize(draw: number): number {
  if (draw < 0.6) return 1;
  if (draw < 0.88) return 2 + Math.floor((draw - 0.6) * 14);
  if (draw < 0.98) return 8 + Math.floor((draw - 0.88) * 250);
  return 60 + Math.floor((draw - 0.98) * 4500);
}
