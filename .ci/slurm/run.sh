#!/usr/bin/env bash
# Runs the Slurm job array of docs/harvest-cluster.md with a real Slurm, on this machine only and without
# systemd: four shards of one harvest. It kills and requeues one shard, and compares the union with a list of
# the same records, and their tables.
#   bash .ci/slurm/run.sh [--install]     --install (as root, on Debian) installs slurm-wlm and munge first
# Exit codes: 0 for success, 1 for a failure, 77 when it cannot run here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly RECORDS=30000 SHARDS=4 KILLED=2 START_SECONDS=30 RUN_SECONDS=90

cannot() {
  printf 'cannot run: %s\n' "$*" >&2
  exit 77
}

if [[ "${1-}" == --install ]]; then
  ((EUID == 0)) || cannot '--install needs root'
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends slurm-wlm munge
elif (($# > 0)); then
  cannot "unknown argument $1"
fi
PATH+=:/usr/sbin
for tool in munged slurmctld slurmd sbatch scancel scontrol squeue; do
  command -v "$tool" > /dev/null || cannot "$tool is missing (Debian: apt-get install slurm-wlm munge, or --install as root)"
done
[[ -f dist/main.js ]] || cannot 'the program is not built (npm run build)'

scratch="$(mktemp -d "${TMPDIR:-/tmp}/doi-cli-slurm-XXXXXX")"
daemons=()
clean_up() {
  local code=$? at
  # Stops the daemons in reverse order: slurmd with its jobs before the controller, and munged last.
  scancel --quiet --user="$(id -un)" 2> /dev/null || true
  for ((at = ${#daemons[@]} - 1; at >= 0; at--)); do
    kill "${daemons[at]}" 2> /dev/null || true
    timeout 10 tail --pid="${daemons[at]}" -f /dev/null || kill -KILL "${daemons[at]}" 2> /dev/null || true
  done
  if ((code != 0)); then tail -n 20 "$scratch"/*.log "$scratch"/task-* 2> /dev/null || true; fi
  rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# wait_for <seconds> <what> <command…>
wait_for() {
  local deadline=$((SECONDS + $1)) what="$2"
  shift 2
  until "$@"; do
    ((SECONDS < deadline)) || fail "$what: not in time"
    sleep 0.2
  done
}

# daemon <name> <command…>: starts the command in the background and writes its output to <name>.log.
daemon() {
  local name="$1"
  shift
  "$@" > "$scratch/$name.log" 2>&1 &
  daemons+=($!)
}

free_port() { node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close() })'; }

start_slurm() {
  local node
  node="$(hostname -s)"
  # Other users must reach munged's socket, and must not read its key.
  chmod 755 "$scratch"
  (umask 077 && head -c 1024 /dev/urandom > "$scratch/munge.key")
  daemon munged munged --foreground --key-file="$scratch/munge.key" --socket="$scratch/munge.socket" \
    --pid-file="$scratch/munged.pid" --seed-file="$scratch/munge.seed" --log-file="$scratch/munged-own.log"
  wait_for "$START_SECONDS" munged test -S "$scratch/munge.socket"

  mkdir "$scratch/state" "$scratch/spool"
  # A requeued job waits until its credentials expire, so they expire soon. The node claims one processor for
  # each shard, because the tasks mostly wait.
  cat > "$scratch/slurm.conf" << CONF
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
KillWait=5
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$SHARDS State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF="$scratch/slurm.conf"
  daemon slurmctld slurmctld -D
  wait_for "$START_SECONDS" slurmctld scontrol --quiet ping
  daemon slurmd slurmd -D
  wait_for "$START_SECONDS" slurmd node_is_idle
}

node_is_idle() { [[ "$(sinfo --noheader --format=%T)" == idle ]]; }

# start_emulator <name> <option…>: starts an emulator with the same records each time, and sets base_url.
start_emulator() {
  local name="$1"
  shift
  daemon "$name" doi-cli emulator start --records "$RECORDS" --format json "$@"
  wait_for "$START_SECONDS" "the emulator $name" grep -q baseUrl "$scratch/$name.log"
  base_url="$(node -p 'JSON.parse(process.argv[1]).baseUrl' "$(head -n 1 "$scratch/$name.log")")"
}

state_of() { scontrol --oneliner show job "$1" | grep -o 'JobState=[A-Z]*' | cut -d= -f2; }
is_over() { [[ "$(state_of "$1")" != @(PENDING|RUNNING|COMPLETING) ]]; }
all_over() { [[ -z "$(squeue --noheader --array --format=%i)" ]]; }
# has_begun: the killed shard has some records in its ledger, and unfinished windows.
has_begun() {
  node -e '
    const { windows } = JSON.parse(require("fs").readFileSync(process.argv[1])).generations[0];
    process.exit(windows.some(({ records }) => records > 0) && windows.some(({ done }) => !done) ? 0 : 1);
  ' "$HARVEST_DIR/_harvest/shard-000$KILLED-of-000$SHARDS/ledger.json" 2> /dev/null
}

mkdir "$scratch/bin"
ln -s "$PWD/bin/doi-cli.js" "$scratch/bin/doi-cli"
export PATH="$scratch/bin:$PATH" DOI_CLI_CONFIG_DIR="$scratch/none"
unset DOI_CLI_API_KEY DOI_CLI_REPOSITORY DOI_CLI_PASSWORD

start_slurm
start_emulator fast
fast="$base_url"
start_emulator slow --latency 300ms
export DOI_CLI_BASE_URL="$base_url" HARVEST_DIR="$scratch/harvest" SHARDS RATE=4/1s

# Takes the script from the documentation.
sed -n '/^#!\/bin\/bash$/,/^```$/{/^```$/d;p}' docs/harvest-cluster.md > "$scratch/harvest.sbatch"
doi-cli dois harvest --dir "$HARVEST_DIR" --gzip --plan --rate 100/1s
array="$(sbatch --parsable --output="$scratch/task-%a" "$scratch/harvest.sbatch")"

wait_for "$RUN_SECONDS" "shard $KILLED" has_begun
scancel --signal=KILL --full "${array}_$KILLED"
wait_for 30 'the end of the killed task' is_over "${array}_$KILLED"
printf 'task %s was killed: %s\n' "$KILLED" "$(state_of "${array}_$KILLED")"
if doi-cli dois harvest status --dir "$HARVEST_DIR" > /dev/null 2>&1; then fail 'complete without the killed shard'; fi
scontrol requeue "${array}_$KILLED"
wait_for "$RUN_SECONDS" 'the end of all tasks' all_over

for task in $(seq "$SHARDS"); do
  state="$(state_of "${array}_$task")"
  printf 'task %s: %s: %s\n' "$task" "$state" "$(tail -n 1 "$scratch/task-$task")"
  [[ "$state" == COMPLETED ]] || fail "task $task did not complete"
done
doi-cli dois harvest status --dir "$HARVEST_DIR" > "$scratch/status.txt" || fail "$(cat "$scratch/status.txt")"
zcat "$HARVEST_DIR"/data/*.ndjson.gz | LC_ALL=C sort > "$scratch/union"
doi-cli --base-url "$fast" dois list --all --anonymous | LC_ALL=C sort > "$scratch/list"
cmp "$scratch/union" "$scratch/list" || fail 'the union of the shards is not the list'
# Its tables hold each DOI once.
doi-cli dois harvest export --dir "$HARVEST_DIR" --out "$scratch/tables"
counts="$(node test/pipelines/duckdb.mjs <<< "SELECT count(*) AS lines, count(DISTINCT doi) AS dois FROM '$scratch/tables/dois/*.parquet'")"
records="$(wc -l < "$scratch/union")"
[[ "$counts" == "[{\"lines\":\"$records\",\"dois\":\"$records\"}]" ]] || fail "the tables have other records: $counts"
printf 'ok: %s records from %s shards and their tables, the same as the list, in %s s\n' "$records" "$SHARDS" "$SECONDS"
