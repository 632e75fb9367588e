import { type Command, Option } from 'commander';
import { EVENTS, type Event, STATES } from '../../../api/states.ts';
import {
  argument,
  examples,
  formatOption,
  listArgument,
  listOption,
  option,
  type Runner,
} from '../../../cli/options.ts';
import { parseDoi, parseInteger, parsePrefix, parseText } from '../../../text/parsers.ts';
import { addBulkOptions } from '../bulk/options.ts';
import { parseAssignment } from './assignment.ts';
import { parseCreator } from './attributes.ts';
import type { CreateOptions } from './create.ts';
import type { DeleteOptions } from './delete.ts';
import type { EventOptions } from './events.ts';
import type { UpdateOptions } from './update.ts';
import type { ValidateOptions } from './validate.ts';

const EVENT = 'the state to go to; a Draft without it';
const FORMAT = 'default: text on a terminal, else json';
const EVENT_COMMANDS: readonly (readonly [Event, string])[] = [
  ['publish', 'make DOIs Findable: registered for good, and in the index'],
  ['register', 'make Drafts Registered: registered for good, but not in the index'],
  ['hide', 'make Findable DOIs Registered: out of the index, while they still resolve'],
];

/** The commands of `doi-cli dois …` that write records, or check what would be written. */
export function addMaintenance(dois: Command, run: Runner): void {
  addValidate(dois, run);
  addCreate(dois, run);
  addUpdate(dois, run);
  for (const [event, description] of EVENT_COMMANDS) addEvent(dois, run, event, description);
  addDelete(dois, run);
}

function addValidate(dois: Command, run: Runner): void {
  dois
    .command('validate')
    .description('check records against the DataCite Metadata Schema 4.6, without sending them')
    .addOption(
      option(
        '--file <path>',
        'records as for create, any number of them; - for stdin',
        parseText,
      ).makeOptionMandatory(),
    )
    .addOption(new Option('--event <event>', 'check for the state that it leads to').choices(EVENTS))
    .addOption(
      new Option('--state <state>', 'check for a state; by default the one that the record asks for')
        .choices(STATES)
        .conflicts('event'),
    )
    .option('--strict', 'end with exit code 1 for warnings too')
    .addOption(
      formatOption(['text', 'json', 'ndjson'], 'lines for people, or what was found in each record').default(
        'text',
      ),
    )
    .addHelpText(
      'after',
      examples(
        'doi-cli dois validate --file record.json --event publish',
        'doi-cli dois list --limit 3 --format ndjson | doi-cli dois validate --file - --format json',
      ),
    )
    .action(
      run(async (context, options: ValidateOptions) => {
        const { validateCommand } = await import('./validate.ts');
        return validateCommand(context, options);
      }),
    );
}

function addCreate(dois: Command, run: Runner): void {
  const create = dois
    .command('create')
    .description('create a DOI, from a file, from options or in an editor; or all the records of a file')
    .addOption(
      option(
        '--file <path>',
        'a JSON:API document or an attributes object, or one a line; - for stdin',
        parseText,
      ),
    );
  for (const [flags, description, parse] of [
    ['--doi <doi>', 'the DOI; or a prefix alone, for a suffix of the service', parseDoi],
    [
      '--prefix <prefix>',
      'the prefix of the DOI, or of those of a file that name none (default: that of the profile)',
      parsePrefix,
    ],
  ] as const) {
    create.addOption(option(flags, description, parse));
  }
  create
    .addOption(listOption('--title <title>', 'a title; repeatable', parseText))
    .addOption(
      listOption(
        '--creator <name>',
        '"Family, Given" or an organization, then ;orcid=… and ;affiliation=…; repeatable',
        parseCreator,
      ),
    );
  for (const [flags, description, parse] of [
    ['--publisher <name>', 'who publishes it', parseText],
    ['--year <year>', 'the year of publication', parseInteger(1000, 9999)],
    ['--type <type>', 'the general type of the resource, such as Dataset or Text', parseText],
    ['--url <url>', 'the page that the DOI leads to', parseText],
  ] as const) {
    create.addOption(option(flags, description, parse));
  }
  addBulkOptions(create)
    .addOption(listOption('--description <text>', 'an abstract; repeatable', parseText))
    .addOption(listOption('--subject <subject>', 'a subject or keyword; repeatable', parseText))
    .addOption(new Option('--event <event>', EVENT).choices(EVENTS))
    .option('--edit', 'write or complete the record in an editor (env: VISUAL, EDITOR)')
    .option('--dry-run', 'print what would be sent, and send nothing')
    .option('--no-validate', 'send the record without checking it first')
    .addOption(formatOption(['text', 'json', 'ndjson'], `${FORMAT}; for many records ndjson`))
    .addHelpText(
      'after',
      examples(
        'doi-cli dois create --file record.json --event publish',
        'doi-cli dois create --file records.ndjson --event register > results.ndjson',
        'doi-cli dois create --prefix 10.5072 --title "A test" --creator "Doe, Jane;orcid=0000-0002-1825-0097" --publisher Me --year 2026 --type Dataset --url https://example.org/1 --event publish',
        `echo '{"prefix":"10.5072","titles":[{"title":"A test"}]}' | doi-cli dois create --file - --dry-run`,
      ),
    )
    .action(
      run(async (context, options: CreateOptions) => {
        const { createDoiCommand } = await import('./create.ts');
        await createDoiCommand(context, options);
      }),
    );
}

function addUpdate(dois: Command, run: Runner): void {
  addBulkOptions(dois.command('update'))
    .description('update DOIs: the attributes given replace those of the record')
    .argument('[doi]', 'the DOI; without one the file names it, or one in each line', argument(parseDoi))
    .addOption(
      option(
        '--file <path>',
        'a JSON:API document or an attributes object, or one a line; - for stdin',
        parseText,
      ),
    )
    .addOption(
      listOption(
        '--set <path=value>',
        'one value, such as titles[0].title=Text; JSON or text; [] adds an item; repeatable',
        parseAssignment,
      ),
    )
    .addOption(new Option('--event <event>', 'the state to go to').choices(EVENTS))
    .option('--dry-run', 'print what would change, and send nothing')
    .option('--no-validate', 'send the update without checking it first')
    .addOption(formatOption(['text', 'json', 'ndjson'], `${FORMAT}; for many records ndjson`))
    .addHelpText(
      'after',
      examples(
        'doi-cli dois update 10.5072/abc --file record.json',
        'doi-cli dois update --file updates.ndjson > results.ndjson',
        'doi-cli dois update 10.5072/abc --set url=https://example.org/new --set publicationYear=2026',
        `doi-cli dois update 10.5072/abc --set 'subjects[]={"subject":"one more"}' --dry-run`,
      ),
    )
    .action(
      run(async (context, doi: string | undefined, options: UpdateOptions) => {
        const { updateDoiCommand } = await import('./update.ts');
        await updateDoiCommand(context, doi, options);
      }),
    );
}

function addEvent(dois: Command, run: Runner, event: Event, description: string): void {
  dois
    .command(event)
    .description(description)
    .argument('<doi...>', 'one or more DOIs', listArgument(parseDoi))
    .option('--no-validate', 'send the event without looking at what the record lacks')
    .addOption(formatOption(['text', 'json', 'ndjson'], FORMAT))
    .addHelpText('after', examples(`doi-cli dois ${event} 10.5072/${event === 'hide' ? 'found' : 'abc'}`))
    .action(
      run(async (context, doi: readonly string[], options: EventOptions) => {
        const { eventCommand } = await import('./events.ts');
        await eventCommand(context, event, doi, options);
      }),
    );
}

function addDelete(dois: Command, run: Runner): void {
  dois
    .command('delete')
    .description('delete Drafts; what was registered stays for good')
    .argument('<doi...>', 'one or more DOIs', listArgument(parseDoi))
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      examples('doi-cli dois delete 10.5072/abc', 'doi-cli dois delete 10.5072/abc --yes'),
    )
    .action(
      run(async (context, doi: readonly string[], options: DeleteOptions) => {
        const { deleteDoisCommand } = await import('./delete.ts');
        await deleteDoisCommand(context, doi, options);
      }),
    );
}
