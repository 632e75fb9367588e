import { parsedRecord } from '../../harvest/page/parsed-record.ts';
import { ParquetTables } from '../../metadata/tables/parquet.ts';
import { unreadWarnings } from '../../metadata/tables/values.ts';
import { type MakeRecordWriter, OTHER_FORMAT } from '../output/row-writer.ts';

/** The table `dois` of docs/export.md as one file. Memory holds a row group. */
export const writeParquet: MakeRecordWriter = (sink, { warn }) => {
  const tables = new ParquetTables({ dois: sink }, {});
  return {
    async write(records) {
      for (const record of records) await tables.add(parsedRecord(record, OTHER_FORMAT));
    },
    async end() {
      await tables.end();
      for (const text of unreadWarnings(tables.unread)) warn(text);
    },
  };
};
