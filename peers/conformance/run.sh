#!/usr/bin/env bash
# Runs the official MCP conformance suite against one running examples/everything, at
# one URL for both versions. Its requirements are also run at the guarded route, with an
# access token in every request.
#
#   ./run.sh               both sets of requirements, then the whole suite
#   ./run.sh SCENARIO...   only these scenarios, in both versions that have them
#
# It exits with 1 if a scenario that a version requires does not pass, if a scenario
# fails that is not in later.yaml, if one in later.yaml passes, or if a check warns. The
# details of the last run are in results/. Needs bash, Go and npm. npm
# installs Node.js 22, which the suite needs.
set -euo pipefail
cd "$(dirname "$0")"

route=mcp
export TOKEN=token-of-the-suite # for /guarded; see token.mjs
node=node_modules/.bin/node
suite=node_modules/@modelcontextprotocol/conformance/dist/index.js
temp=$(mktemp -d)
process=

finish() {
  if [ -n "$process" ]; then
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  fi
  rm -rf "$temp"
}
trap finish EXIT

. ./server.sh

./install.sh
port=$(free_port)
server=http://localhost:$port
(cd ../../examples/everything && go build -buildvcs=false -o "$temp/everything" .) || fail "examples/everything does not build"
tokens="suite $("$node" -p 'crypto.createHash("sha256").update(process.env.TOKEN).digest("hex")') conformance:read conformance:write"
(cd "$temp" && APP_ADDR=127.0.0.1:$port APP_TOKENS="$tokens" exec ./everything serve) >"$temp/server.log" 2>&1 &
process=$!
until_true listening || { cat "$temp/server.log" >&2; fail "examples/everything does not listen on 127.0.0.1:$port"; }

"$node" -e 'fetch(process.argv[1], { method: "POST" }).then(({ status }) => process.exit(status === 401 ? 0 : 1))' "$server/guarded" ||
  fail "$server/guarded doesn't answer 401 to a request without a token"

rm -rf results
mkdir results
status=0

# suite NAME FLAG... runs the suite at the route; its output and checks are in results/NAME.
suite() {
  local out=results/$1 preload=
  mkdir -p "$out"
  [ "$route" != guarded ] || preload=--import=./token.mjs
  "$node" $preload "$suite" server --url "$server/$route" -o "$out" "${@:2}" >"$out/log.txt" 2>&1 </dev/null
}

if [ $# -gt 0 ]; then
  for scenario in "$@"; do
    for version in 2025-11-25 2026-07-28; do
      suite "$version/$scenario" --scenario "$scenario" --spec-version "$version" --expected-failures required.yaml || true
      "$node" tally.mjs "results/$version/$scenario" "$version $scenario" || status=1
    done
  done
else
  for route in guarded mcp; do
    for version in 2025-11-25 2026-07-28; do
      suite "$route/$version" --requirements "$version" --expected-failures required.yaml || { status=1; tail -n 20 "results/$route/$version/log.txt" >&2; }
      "$node" tally.mjs "results/$route/$version" "/$route: requirements $version" "node_modules/@modelcontextprotocol/conformance/requirements/$version.yaml" || status=1
    done
  done
  suite all --suite all --expected-failures later.yaml || { status=1; tail -n 20 results/all/log.txt >&2; }
  "$node" tally.mjs results/all "suite all" || status=1
fi

kill -0 "$process" 2>/dev/null || { cat "$temp/server.log" >&2; fail "examples/everything died during the run"; }
cp "$temp/server.log" results/server.log
[ $status -eq 0 ] || fail "not conforming; every check is in results/, the server's log in results/server.log"
