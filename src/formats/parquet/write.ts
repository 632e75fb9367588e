import { parsedRecord } from '../../harvest/page/parsed-record.ts';
import { selected } from '../../harvest/walk/repeat-guard.ts';
import { ParquetTables } from '../../metadata/tables/parquet.ts';
import { unreadWarnings } from '../../metadata/tables/unread.ts';
import { type MakeWriter, OTHER_FORMAT } from '../output/writer.ts';

/** The table `dois` of docs/export.md as one file. Memory holds a row group. */
export const writeParquet: MakeWriter = (sink, { warn }) => {
  const tables = new ParquetTables({ dois: sink }, {});
  return {
    async page(walked, most) {
      for (const record of selected(walked, most))
        await tables.add(parsedRecord(record, OTHER_FORMAT));
    },
    async end() {
      await tables.end();
      for (const text of unreadWarnings(tables.unread)) warn(text);
    },
  };
};
