import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeAtomically } from '../../../src/disk/atomic-file.ts';
import * as directory from '../../../src/harvest/store/directory.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { ledgerData, ledgerWindow } from './samples.ts';

describe('the names of part files', () => {
  it.each([
    [{ generation: 1, window: 12, gzip: true }, 'g0001-w00012.ndjson.gz'],
    [{ generation: 12345, window: 123456, gzip: false }, 'g12345-w123456.ndjson'],
  ])('tell what they hold: %j', (part, name) => expect(directory.partName(part)).toBe(name));
});

describe('the folders', () => {
  it('are made where they are missing, and left where they are not', async () => {
    const dir = join(temporaryDirectory(), 'a', 'b');
    const paths = directory.harvestPaths(dir, { index: 2, of: 4 });
    await directory.makeFolders(paths);
    await directory.makeFolders(paths);
    expect(readdirSync(dir).sort()).toEqual(['_harvest', 'data']);
    expect(relative(dir, paths.ledger)).toBe(join('_harvest', 'shard-0002-of-0004', 'ledger.json'));
    expect(relative(dir, paths.plan)).toBe(join('_harvest', 'plan.json'));
    expect(relative(dir, paths.part(1, 2, true))).toBe(join('data', 'g0001-w00002.ndjson.gz'));
    expect(existsSync(paths.folder)).toBe(true);
    const whole = directory.harvestPaths(dir, null);
    expect(relative(dir, whole.ledger)).toBe(join('_harvest', 'ledger.json'));
    expect(relative(dir, whole.receipt(3))).toBe(join('_harvest', 'receipt-g0003.json'));
  });

  it('that cannot be made are an error that names them', async () => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, 'data'), '');
    const made = directory.makeFolders(directory.harvestPaths(dir, null));
    // A file in the place of a folder is a wrong `--dir`, not a failed write.
    await expect(made).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(dir),
    });
  });
});

describe('ledgers', () => {
  it('are found in a directory, those of shards too', async () => {
    const dir = temporaryDirectory();
    expect(await directory.ledgerFiles(dir)).toEqual([]);
    const files = [];
    for (const shard of [null, { index: 1, of: 12 }, { index: 12, of: 12 }]) {
      const paths = directory.harvestPaths(dir, shard);
      await directory.makeFolders(paths);
      await writeAtomically(paths.ledger, '{}');
      files.push(paths.ledger);
    }
    mkdirSync(join(dir, '_harvest', 'other'));
    writeFileSync(join(dir, '_harvest', 'other', 'ledger.json'), '');
    expect((await directory.ledgerFiles(dir)).sort()).toEqual(files.sort());
  });
});

describe('what a crash leaves', () => {
  it('is found in the data and removed, and files of others are not', async () => {
    const dir = temporaryDirectory();
    const paths = directory.harvestPaths(dir, null);
    await directory.makeFolders(paths);
    const kept = [
      '.g0001-w00001.ndjson',
      'README.md',
      'g0001-w00000.ndjson',
      'g0001-w00001.ndjson',
      'g0001-w00001.ndjson.gz.part',
      'g0001-w000012.ndjson',
      'g1-w1.ndjson',
      'mine.ndjson',
    ];
    const left = [
      'g0001-w00000.ndjson.gz',
      'g0002-w00000.ndjson',
      'g12345-w123456.ndjson',
      directory.partName({ generation: 10_000, window: 99_999, gzip: true }),
    ];
    for (const name of [...kept, ...left]) writeFileSync(join(paths.data, name), '');
    const own = ledgerData(ledgerWindow());
    const ledgers = [own, ledgerData(ledgerWindow({ index: 1 }))];
    await directory.removeLeftovers(paths, ledgers, own);
    await directory.removeLeftovers(paths, ledgers, own);
    expect(readdirSync(paths.data).sort()).toEqual(kept);
  });

  it('is removed next to the ledger', async () => {
    const paths = directory.harvestPaths(temporaryDirectory(), null);
    await directory.makeFolders(paths);
    const kept = ['.plan.json.0123456789ab.part', 'ledger.json', 'lock', 'receipt-g0001.json'];
    for (const name of [
      '.ledger.json.0123456789ab.part',
      '.receipt-g0001.json.0123456789ab.part',
      ...kept,
    ]) {
      writeFileSync(join(paths.folder, name), '');
    }
    await directory.removeLeftovers(paths, [], ledgerData());
    expect(readdirSync(paths.folder).sort()).toEqual(kept);
  });
});
