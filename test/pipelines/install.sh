#!/usr/bin/env bash
# Installs the tools for the recipes of docs/pipelines.md that Debian does not have, and prints the folder to put in
# front of PATH: bash test/pipelines/install.sh <folder>
# ClickHouse is chDB, the same engine as a library, behind the command line of the recipe.
set -euo pipefail
folder="$1"
bin="$folder/python/bin"

python3 -m venv "$folder/python"
"$bin/pip" install --quiet --quiet --disable-pip-version-check --retries 2 --only-binary :all: \
  'polars==1.44.*' 'pandas==3.0.*' > /dev/null &
npm install --no-save --no-audit --no-fund --silent --prefix "$folder/chdb" chdb@3 > /dev/null &
wait -n
wait -n

# A file ".cjs" is CommonJS whatever the package.json of a folder above says.
cat > "$bin/clickhouse.cjs" << 'EOF'
const [mode, option, sql] = process.argv.slice(2);
if (mode !== 'local' || option !== '-q') throw new Error('only: clickhouse local -q <query>');
const { query } = require('../../chdb/node_modules/chdb');
process.stdout.write(query(sql, 'TabSeparated'));
EOF
printf '#!/bin/sh\nexec node "%s" "$@"\n' "$bin/clickhouse.cjs" > "$bin/clickhouse"
chmod +x "$bin/clickhouse"
echo "$bin"
