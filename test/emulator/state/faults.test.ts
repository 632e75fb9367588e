import { describe, expect, it } from 'vitest';
import { FAULTS } from '../../../src/commands/emulator/index.ts';
import { FaultInjector } from '../../../src/emulator/state/fault-injector.ts';
import { FAULT_HELP, parseFault, type Topic } from '../../../src/emulator/state/faults.ts';

describe('parseFault', () => {
  it.each([
    ['502:0.05', { kind: '502', when: { probability: 0.05 } }],
    ['429@2=30', { kind: '429', when: { requests: [2], from: Infinity }, parameter: 30 }],
    ['429', { kind: '429', when: { requests: [], from: 1 }, parameter: 1 }],
    ['reset@3,7', { kind: 'reset', when: { requests: [3, 7], from: Infinity } }],
    ['403@2,5+', { kind: '403', when: { requests: [2], from: 5 } }],
    ['slow:1=5s', { kind: 'slow', when: { probability: 1 }, parameter: 5000 }],
    ['slow=250', { kind: 'slow', parameter: 250 }],
    ['slow=0.5m', { kind: 'slow', parameter: 30_000 }],
    [
      'foreign-next=http://localhost:81',
      { kind: 'foreign-next', parameter: 'http://localhost:81' },
    ],
    ['foreign-next@1', { kind: 'foreign-next', parameter: 'http://foreign.example' }],
    ['poison-cursor:1500', { kind: 'poison-cursor', poison: { index: 1500, largestSize: 10 } }],
    ['poison-cursor:0:50', { kind: 'poison-cursor', poison: { index: 0, largestSize: 50 } }],
  ])('reads %s', (spec, rule) => {
    expect(parseFault(spec)).toMatchObject({ spec, ...rule });
  });

  it.each([
    ['', 'unknown fault'],
    ['503', 'unknown fault "503"'],
    ['toString', 'unknown fault'],
    ['502:0', 'above 0 and at most 1'],
    ['502:1.5', 'above 0 and at most 1'],
    ['502:', 'above 0 and at most 1'],
    ['502:1e-3', 'above 0 and at most 1'],
    ['502@0', 'numbered from 1'],
    ['502@', 'numbered from 1'],
    ['502@1,,2', 'numbered from 1'],
    ['502=3', 'takes no'],
    ['429=soon', 'seconds'],
    ['slow=fast', 'duration'],
    ['foreign-next=http://a/b', 'origin'],
    ['foreign-next=', 'origin'],
    ['poison-cursor', 'poison-cursor:<record index>'],
    ['poison-cursor@3', 'poison-cursor:<record index>'],
    ['poison-cursor:3=4', 'takes no'],
  ])('says what is wrong with %j', (spec, message) => {
    expect(() => parseFault(spec)).toThrow(message);
  });

  it('lists all kinds when one is unknown, and in the help', () => {
    expect(() => parseFault('no')).toThrow(FAULT_HELP.map(({ kind }) => kind).join(', '));
  });
});

describe('FaultInjector', () => {
  const others = (count: number): Topic[] => Array.from({ length: count }, () => 'other');
  /** The fault of each request, or `-`. */
  const struck = (faults: string, topics: readonly Topic[], seed = 1) => {
    const injector = new FaultInjector(faults.split(' ').map(parseFault), seed);
    return topics.map((topic) => injector.next(topic)?.spec ?? '-');
  };

  it('strikes the same requests for the same seed, about as often as asked', () => {
    const once = struck('502:0.2', others(2000));
    expect(struck('502:0.2', others(2000))).toEqual(once);
    expect(struck('502:0.2', others(2000), 2)).not.toEqual(once);
    expect(once.filter((spec) => spec !== '-').length / 2000).toBeCloseTo(0.2, 1);
  });

  it('draws for each rule on its own', () => {
    const outcomes = new Set(struck('502:0.5 504:0.5', others(200)));
    expect(outcomes).toEqual(new Set(['502:0.5', '504:0.5', '-']));
  });

  it('counts writes for the faults of writes', () => {
    const found = struck('lost-answer@2', ['write', 'list', 'other', 'write', 'write']);
    expect(found.join(' ')).toBe('- - - lost-answer@2 -');
  });

  it('counts for each rule the requests that it applies to, and lets the first rule win', () => {
    const found = struck('lose@2 500@2,4+ reset@4', ['list', 'other', 'other', 'list', 'other']);
    expect(found.join(' ')).toBe('- 500@2,4+ - lose@2 500@2,4+');
  });
});

it('all kinds are offered by completion', () => {
  expect(FAULTS).toEqual(expect.arrayContaining(FAULT_HELP.map(({ kind }) => kind)));
  expect(FAULTS).toHaveLength(FAULT_HELP.length);
});
