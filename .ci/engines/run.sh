#!/usr/bin/env bash
# Reads a copy and its tables with engines that the suite does not have: Dask's distributed scheduler with two workers
# (Debian) and Polars for Node (npm). What is missing is skipped, and said.
#   bash .ci/engines/run.sh [--install]     --install (as root, on Debian) installs Dask first, and Polars from npm
# Exit codes: 0 for success, 1 for a failure, 77 when nothing could run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly RECORDS=6000 PYTHON=/usr/bin/python3
[[ -f dist/main.js ]] || { echo 'cannot run: the program is not built (npm run build)' >&2; exit 77; }
scratch="$(mktemp -d "${TMPDIR:-/tmp}/doi-cli-engines-XXXXXX")"
daemons=()
clean_up() {
  ((${#daemons[@]} == 0)) || kill "${daemons[@]}" 2> /dev/null || true
  wait
  rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

if [[ "${1-}" == --install ]]; then
  ((EUID == 0)) || fail '--install needs root'
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends python3-dask python3-distributed
  # The package of its binaries by name: npm leaves it out under a Node that it does not name.
  npm install --no-save --no-audit --no-fund --silent --prefix "$scratch/npm" nodejs-polars@0.26.1 \
    "nodejs-polars-linux-$(node -p process.arch)-gnu@0.26.1"
fi

mkdir "$scratch/bin"
ln -s "$PWD/bin/doi-cli.js" "$scratch/bin/doi-cli"
export PATH="$scratch/bin:$PATH" DOI_CLI_CONFIG_DIR="$scratch/none"
repository="$PWD"
cd "$scratch"
doi-cli emulator exec --records "$RECORDS" -- bash -ec '
  doi-cli dois harvest --dir caltech --gzip --page-size 100 --rate 10000/1s --quiet
  doi-cli dois harvest export --dir caltech --out tables --quiet
'
# What all engines have to find: year and number of DOIs.
doi-cli dois stats --dir caltech --by published --format json | node -e '
  const { groups: [{ buckets }] } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  for (const { id, count } of buckets) console.log(id, count);
' | sort > expected
ran=0

if "$PYTHON" -c 'import dask, distributed' 2> /dev/null; then
  port="$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close() })')"
  scheduler="tcp://127.0.0.1:$port"
  "$PYTHON" -m distributed.cli.dask_scheduler --host 127.0.0.1 --port "$port" --no-dashboard > scheduler.log 2>&1 &
  daemons+=($!)
  for _ in 1 2; do
    "$PYTHON" -m distributed.cli.dask_worker "$scheduler" --nthreads 1 --no-nanny --no-dashboard > "worker-$!.log" 2>&1 &
    daemons+=($!)
  done
  # The recipe of the document, with this scheduler.
  sed -n '/^## Dask/,/^## /{/^```python/,/^```$/{/^```/d;p}}' "$repository/docs/pipelines.md" |
    sed "s#tcp://scheduler:8786#$scheduler#" > recipe.py
  grep -q read_text recipe.py || fail 'docs/pipelines.md has no recipe for Dask'
  printf 'client.wait_for_workers(2)\n' | sed -i '/^client = /r /dev/stdin' recipe.py
  timeout 120 "$PYTHON" recipe.py | sort > dask || fail "Dask: $(tail -n 5 scheduler.log)"
  cmp expected dask || fail 'Dask counts otherwise'
  printf 'ok: Dask %s, two workers: %s years\n' "$("$PYTHON" -c 'import dask; print(dask.__version__)')" "$(wc -l < dask)"
  ran=1
else
  echo 'skipped: Dask (Debian: apt-get install python3-dask python3-distributed, or --install)'
fi

polars="${POLARS:-$scratch/npm/node_modules}/nodejs-polars"
if [[ -d "$polars" ]]; then
  node -e '
    const pl = require(process.argv[1]);
    const dois = pl.scanParquet("tables/dois/*.parquet").collectSync();
    const { created, issued, sizes } = dois.schema;
    console.error(`${created}, ${issued}, ${sizes}`);
    for (const { year, doi } of dois.groupBy("year").agg(pl.col("doi").count()).toRecords()) {
      if (year !== null) console.log(year, doi);
    }
  ' "$polars" 2> types | sort > polars || fail "Polars: $(cat types)"
  cmp expected polars || fail 'Polars counts otherwise'
  printf 'ok: Polars: %s years; created, issued, sizes: %s\n' "$(wc -l < polars)" "$(cat types)"
  ran=1
else
  echo 'skipped: Polars for Node (--install, or POLARS=<node_modules>)'
fi
((ran == 1)) || exit 77
