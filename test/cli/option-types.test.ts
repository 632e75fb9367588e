import { describe, expect, expectTypeOf, it } from 'vitest';
import { command, type DeclaredCommand } from '../../src/cli/declare.ts';
import type { OptionsOf } from '../../src/cli/option-types.ts';
import {
  ageOption,
  choiceOption,
  expert,
  formatOption,
  listOption,
  option,
  repeatable,
  required,
} from '../../src/cli/options.ts';
import { buildProgram } from '../../src/program.ts';
import { parseInteger } from '../../src/text/parsers.ts';

const declared = command({
  options: [
    option('--dry-run', 'a switch').conflicts('limit'),
    option('--no-check', 'a switch that is on'),
    option('--page-size <n>', 'a number', parseInteger(0, 9)).default(undefined, 'few'),
    option('--limit <n>', 'a number with a default', parseInteger(0, 9)).default(3),
    option('--style <name>', 'a text'),
    repeatable(option('--file <path>', 'a text or several', String)),
    listOption('--map <a=b>', 'a list', Number),
    formatOption(['text', 'json'], 'a word').default('text'),
    ...expert(
      choiceOption('--event <event>', ['hide', 'show'], 'a word'),
      ageOption('--max-age <duration>', 'milliseconds', '7d'),
      required('--to <repository>', 'a text that must be there', String),
    ),
  ],
  examples: [],
});
type Options = OptionsOf<typeof declared>;

describe('the options of a run', () => {
  it('have the types of their declaration', () => {
    expectTypeOf<Options>().toEqualTypeOf<{
      readonly dryRun?: boolean;
      readonly check?: boolean;
      readonly pageSize?: number;
      readonly limit: number;
      readonly style?: string;
      readonly file?: string | readonly string[];
      readonly map?: readonly number[];
      readonly format: 'text' | 'json';
      readonly event?: 'hide' | 'show';
      readonly maxAge: number;
      readonly to: string;
    }>();
    // @ts-expect-error: it is --dry-run.
    expectTypeOf<Options['dry']>();
  });

  it('have the names of commander', () => {
    const { options } = declared;
    expect(options.map((each) => each.attributeName())).toEqual([
      'dryRun',
      'check',
      'pageSize',
      'limit',
      'style',
      'file',
      'map',
      'format',
      'event',
      'maxAge',
      'to',
    ] satisfies (keyof Options)[]);
  });

  it('exclude only options that their command has', async () => {
    const program = buildProgram();
    await program.declareAll();
    const all = (of: DeclaredCommand): DeclaredCommand[] => [of, ...of.commands.flatMap(all)];
    const excluded = all(program).flatMap(({ options }) => {
      const names = options.map((each) => each.attributeName());
      return options.flatMap((each) =>
        (each as unknown as { conflictsWith: string[] }).conflictsWith.map((name) => ({
          name,
          isKnown: names.includes(name),
        })),
      );
    });
    expect(excluded.length).toBeGreaterThan(20);
    expect(excluded.filter(({ isKnown }) => !isKnown)).toEqual([]);
  });
});
