import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { publicDeclarations } from '../../scripts/api.mjs';

const declarations = readFileSync('src/core/api.d.ts', 'utf8');

it('promises what src/core/api.d.ts says; npm run api renews it after a change on purpose', () => {
  expect(publicDeclarations()).toBe(declarations);
});

it('needs no types of other packages', () => {
  expect(declarations).not.toMatch(
    /\bimport\b|\brequire\b|\/\/\/ *<reference|\bBuffer\b|\bNodeJS\b|\bURL\b,/,
  );
});

it('says nothing of documents that only this repository has', () => {
  expect(declarations).not.toMatch(/service\.md|@internal|Excluded/);
});

it('is small', () => {
  const names = [...declarations.matchAll(/^export declare (?:function|class|const) (\w+)/gm)].map(
    ([, name]) => name,
  );
  expect([...new Set(names)]).toEqual([
    'Client',
    'countDois',
    'createDoi',
    'createKey',
    'deleteDoi',
    'DoiCliError',
    'getAccount',
    'getDoi',
    'harvest',
    'listDois',
    'listKeys',
    'revokeKey',
    'updateDoi',
  ]);
});
