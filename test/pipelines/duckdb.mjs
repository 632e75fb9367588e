// Runs the SQL statements of stdin in the working directory, and prints the rows of the last one as
// JSON. Needs the packages of .ci/packages.
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

const require = createRequire(new URL('../../.ci/packages/package.json', import.meta.url));
const { DuckDBInstance } = require('@duckdb/node-api');
const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
const connection = await instance.connect();
const statements = await connection.extractStatements(await text(process.stdin));
let rows = [];
for (let at = 0; at < statements.count; at++) {
  const statement = await statements.prepare(at);
  rows = (await statement.runAndReadAll()).getRowObjectsJson();
}
process.stdout.write(JSON.stringify(rows));
connection.closeSync();
instance.closeSync();
