import { type HarvestPaths, harvestPaths } from '../store/directory.ts';
import type { LedgerData } from '../store/ledger-data.ts';
import { firstRecords } from '../store/read-part.ts';
import { FormCheck, MixedForms } from '../walk/form-check.ts';

/** Compares the first records of each generation of a copy. @throws {MixedForms}. */
export async function noteForm(
  form: FormCheck,
  paths: HarvestPaths,
  ledgers: readonly LedgerData[],
): Promise<void> {
  for (const { generations, gzip } of ledgers) {
    for (const { number, windows } of generations) {
      const part = windows.find(({ bytes }) => bytes > 0);
      if (part === undefined) continue;
      const path = paths.part(number, part.index, gzip);
      form.checkRecords(await firstRecords({ path, gzip, bytes: part.bytes }));
    }
  }
}

/** Why the records of a copy have two forms, if they do or would after the latest run. */
export async function mixedForms(
  dir: string,
  ledgers: readonly LedgerData[],
): Promise<string | undefined> {
  const [problem] = ledgers.flatMap(({ generations }) =>
    generations.flatMap(({ problems }) => problems),
  );
  if (problem !== undefined) return problem;
  try {
    await noteForm(new FormCheck(), harvestPaths(dir, null), ledgers);
    return undefined;
  } catch (error) {
    if (error instanceof MixedForms) return error.message;
    throw error;
  }
}
