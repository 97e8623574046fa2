// Reads SQL queries (a JSON list on standard input), runs them with DuckDB and
// prints what they give: {names, types, rows} for each.
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const db = await DuckDBInstance.create(':memory:');
const connection = await db.connect();
const results = [];
for (const query of JSON.parse(readFileSync(0, 'utf8'))) {
  const reader = await connection.runAndReadAll(query);
  results.push({ names: reader.columnNames(), types: reader.columnTypes().map(String), rows: reader.getRowObjectsJson() });
}
console.log(JSON.stringify(results));
