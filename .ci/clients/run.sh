#!/usr/bin/env bash
# Runs a client that nobody of this project wrote against the emulator: the Python package `datacite` of the
# Invenio project.
#   bash .ci/clients/run.sh [<python>]     <python> has the package; without it, pip installs the package
# Exit codes: 0 for success, 1 for a failure, 77 when it cannot run here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly PACKAGE='datacite==1.3.1'

cannot() {
  printf 'cannot run: %s\n' "$*" >&2
  exit 77
}

[[ -f dist/main.js ]] || cannot 'the program is not built (npm run build)'
scratch="$(mktemp -d "${TMPDIR:-/tmp}/doi-cli-clients-XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

python="${1-}"
if [[ -z "$python" ]]; then
  python3 -m venv "$scratch/venv" || cannot 'python3 with venv is missing (Debian: apt-get install python3-venv)'
  python="$scratch/venv/bin/python"
  # No installation runs code of a package.
  timeout 120 "$python" -m pip install --quiet --disable-pip-version-check --retries 1 --only-binary=:all: "$PACKAGE" ||
    cannot "pip cannot install $PACKAGE"
fi

export DOI_CLI_CONFIG_DIR="$scratch/none"
unset DOI_CLI_API_KEY DOI_CLI_REPOSITORY DOI_CLI_PASSWORD
timeout --kill-after=10 60 node bin/doi-cli.js emulator exec --account DEMO.REPO:secret --account OTHER.REPO:other -- \
  "$python" .ci/clients/datacite_client.py
