#!/usr/bin/env bash
# Installs the suite and its Node.js, at the versions that package-lock.json pins. It does
# nothing if they are installed.
set -euo pipefail
cd "$(dirname "$0")"

fail() {
  echo "conformance: $1" >&2
  exit 1
}

if ! cmp -s package-lock.json node_modules/.installed-lock; then
  log=$(npm ci 2>&1) || { echo "$log" >&2; fail "npm ci failed"; }
  cp package-lock.json node_modules/.installed-lock
fi
node_modules/.bin/node --version >/dev/null ||
  fail "node_modules/.bin/node does not run: let npm run the install script of the package \"node\", remove node_modules, and try again"
