import { draft, whole } from './records.ts';
import { type Case, frozen, type Step } from './scene.ts';

const STORED = [
  whole('a', 'A'),
  whole('b', 'B', { event: 'publish' }),
  whole('c', 'C', { event: 'register' }),
  draft('d', 'D'),
];
const DOIS =
  '10.5072/a\nhttps://doi.org/10.5072/B\n10.5072/c\n10.5072/A\n10.5072/d\n10.5072/none\n';
const YES: Readonly<Record<string, string>> = {
  delete: ' --yes',
  transfer: ' --to DEMO.OTHER --yes',
};

/** What a command does with records in each state. */
function ofEach(verb: string): Readonly<Record<string, Case>> {
  const more = YES[verb] ?? '';
  const by = (run: string): Step => (verb === 'transfer' ? { run, as: 'member' } : run);
  const many = `dois ${verb} --file $DIR/dois.txt${more} --jobs 1`;
  const each = ['a', 'b', 'c', 'd', 'none'].map((suffix) =>
    by(`dois ${verb} 10.5072/${suffix}${more} --format text`),
  );
  return {
    'changes DOIs by themselves': { stored: STORED, steps: each },
    'changes several DOIs': {
      stored: STORED,
      steps: [
        by(`dois ${verb} 10.5072/a 10.5072/B 10.5072/A 10.5072/none${more}`),
        by(`dois ${verb} 10.5072/b 10.5072/none${more} --format json`),
      ],
    },
    'changes the DOIs of a file': {
      stored: STORED,
      files: { 'dois.txt': DOIS },
      steps: [by(many), by(`${many} --format text`)],
    },
    'shows with --dry-run what would change': {
      stored: STORED,
      files: { 'dois.txt': DOIS },
      steps: [
        by(`dois ${verb} 10.5072/a${more} --dry-run`),
        by(`dois ${verb} 10.5072/a 10.5072/b${more} --dry-run`),
        by(`${many} --dry-run`),
        by(`${many} --dry-run --out $DIR/results.csv`),
        { show: 'results.csv' },
      ],
    },
    'finds out what became of a change whose answer was lost': {
      stored: STORED.slice(0, 2).map((record) => ({
        ...record,
        event: verb === 'hide' ? 'publish' : undefined,
      })),
      files: { 'dois.txt': '10.5072/b\n' },
      steps: [
        { faults: ['lost-answer@1'] },
        by(`dois ${verb} 10.5072/a${more} --format text`),
        { faults: ['lost-answer@1'] },
        by(many),
      ],
    },
  };
}

for (const verb of ['publish', 'register', 'hide', 'delete', 'transfer'])
  frozen(`dois ${verb}`, ofEach(verb));
