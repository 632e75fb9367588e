import { expect, it } from 'vitest';
import { publicDeclarations } from '../../scripts/api.mjs';
import * as library from '../../src/library/index.ts';

const declarations = publicDeclarations();
const text = [...declarations.values()].join('\n');
const code = text.replace(/\/\*\*.*?\*\//gs, '');

it('is small', () => {
  expect(Object.keys(library).sort()).toEqual([
    'Client',
    'DoiCliError',
    'countDois',
    'exportTables',
    'getAccount',
    'getDoi',
    'harvest',
    'listDois',
    'listPages',
    'readCopy',
    'readReceipts',
    'validate',
    'verify',
  ]);
});

it('has the signatures that programs rely on', () => {
  const signatures = ['client', 'lists', 'dois', 'harvest', 'read-copy', 'validate']
    .flatMap((name) => declarations.get(`library/${name}.d.ts`)?.split('\n') ?? [])
    .filter((line) => /^(export declare| {4}constructor| {4}get| {4}close| {4}\[)/.test(line));
  expect(signatures).toMatchInlineSnapshot(`
    [
      "export declare class Client {",
      "    constructor(options?: ClientOptions);",
      "    get baseUrl(): string;",
      "    close(): Promise<void>;",
      "    [Symbol.asyncDispose](): Promise<void>;",
      "export declare function listDois(client: Client, query?: DoiQuery, options?: ListOptions & {",
      "export declare function listDois(client: Client, query: DoiQuery | undefined, options: ListOptions & {",
      "export declare function listPages(client: Client, query?: DoiQuery, options?: ListOptions & {",
      "export declare function listPages(client: Client, query: DoiQuery | undefined, options: ListOptions & {",
      "export declare function countDois(client: Client, query?: DoiQuery, options?: CallOptions): Promise<number>;",
      "export declare function getDoi(client: Client, doi: string, options?: CallOptions): Promise<DoiRecord>;",
      "export declare function getAccount(client: Client, options?: CallOptions): Promise<string>;",
      "export declare function harvest(client: Client, options: HarvestOptions): Promise<HarvestReceipts>;",
      "export declare function verify(client: Client, options: CopyCallOptions): Promise<CopyDifferences>;",
      "export declare function exportTables(options: ExportTablesOptions): Promise<ExportedTables>;",
      "export declare function readCopy(directory: string, options?: ReadCopyOptions & {",
      "export declare function readCopy(directory: string, options: ReadCopyOptions & {",
      "export declare function readReceipts(directory: string): Promise<readonly Receipt[]>;",
      "export declare function validate(attributes: unknown, options?: {",
    ]
  `);
});

it('needs no types of other packages', () => {
  // TypeScript's own description of `Symbol.asyncDispose`, which a project's `lib` may lack.
  expect(text).not.toMatch(/\/\/\/ *<reference (?!lib="esnext\.disposable")/);
  expect(code).not.toMatch(
    /\bfrom '[^.]|\bimport\(|\brequire\b|\bBuffer\b|\bNodeJS\b|(?<!')\bURL\b/,
  );
  expect([...declarations.keys()].filter((name) => name.startsWith('api/http/'))).toEqual([
    'api/http/rate-limiter.d.ts',
    'api/http/sent-request.d.ts',
  ]);
});

it('says nothing of documents that only this repository has', () => {
  expect(text).not.toMatch(/service\.md|@internal/);
});
