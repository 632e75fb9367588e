import { Ledger } from '../../../src/harvest/store/ledger.ts';
import { PartFile } from '../../../src/harvest/store/part-file.ts';
import { ledgerData, windowState } from './samples.ts';

// Opens what is there, says what that is, and goes on until it is killed (or the file may grow no further): the lines
// of a window are its numbers in order, so that the right contents follow from their count.
const [, , part = '', path = '', gzip = ''] = process.argv;
const ledger = (await Ledger.open(path)) ?? (await Ledger.create(path, ledgerData(windowState())));
const window = ledger.data.generations[0]?.windows[0];
if (!window) throw new Error('the ledger has no window');
// With EFBIG instead of it, as a full disk would do.
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
