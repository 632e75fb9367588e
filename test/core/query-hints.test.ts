import { expect, it } from 'vitest';
import { queryHints } from '../../src/core/query-hints.ts';

it.each<[string, RegExp[]]>([
  ['title:lake', [/no field 'title': write titles\.title:/]],
  ['lake AND (State:draft OR year:2020)', [/'State': write aasm_state/, /'year': write pub/]],
  ['url:*old.example.org*', [/write the host/]],
  ['url:old.example.*', [/write the host/]],
  ['url:old.example.org', []],
  ['url:lake*', []],
  ['titles.title:lake AND publicationYear:2020 AND aasm_state:draft', []],
  ['publisher:institute "title: of"', []],
  ['', []],
])('a query %j that finds nothing', (query, hints) => {
  expect(queryHints(query)).toEqual(hints);
});
