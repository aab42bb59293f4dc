#!/bin/sh
# Installs the AI clients of the tests of mcp install, more than 1 GB, at the versions that
# package-lock.json pins. Needs Node.js 20 or newer and npm. Two of the packages are
# programs, which their own scripts put in place.
set -eu
cd "$(dirname "$0")"
# npm ci refuses a lock file without the packages of other systems, which not every registry has.
npm install --no-audit --no-fund
node node_modules/@anthropic-ai/claude-code/install.cjs
cd node_modules/opencode-ai
exec node postinstall.mjs
