import { Ledger } from '../../../src/harvest/store/ledger.ts';
import { PartFile } from '../../../src/harvest/store/part-file.ts';
import { ledgerData, ledgerWindow } from './samples.ts';

// Opens the file, reports its state, and appends until it is killed (or the file may not grow any
// more). The lines of a window are numbered in order, so that their count determines the right
// contents.
const [, , part = '', path = '', gzip = ''] = process.argv;
const ledger = (await Ledger.open(path)) ?? (await Ledger.create(path, ledgerData(ledgerWindow())));
const window = ledger.data.generations[0]?.windows[0];
if (!window) throw new Error('the ledger has no window');
// Fail with EFBIG instead of a signal, as on a full disk.
process.on('SIGXFSZ', () => undefined);
try {
  const file = await PartFile.open(part, window, gzip === 'gzip');
  process.stdout.write('open\n');
  for (;;) {
    const count = 1 + Math.floor(Math.random() * 2000);
    const chunks = Array.from({ length: count }, (_, index) =>
      Buffer.from(`{"id":"10.5072/${window.records + index}"}\n`),
    );
    await file.append(chunks);
    window.bytes = await file.sync();
    window.records += count;
    await ledger.save();
  }
} catch (error) {
  process.stdout.write(`${(error as { kind?: string }).kind} ${(error as Error).message}\n`);
}
