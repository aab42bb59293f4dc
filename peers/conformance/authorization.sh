#!/usr/bin/env bash
# Runs the suite's scenarios for authorization servers against that of the reference app: with
# a public client, and with a confidential one while public clients are turned off. A browser
# without a window logs in and allows the access.
#
# It exits with 1 unless all checks pass, without a warning. The details of the last run are in
# results/authorization/. Needs bash, Go and npm.
set -euo pipefail
cd "$(dirname "$0")"

node=node_modules/.bin/node
suite=node_modules/@modelcontextprotocol/conformance/dist/index.js
results=$PWD/results/authorization
temp=$(mktemp -d)
server=
tested=

finish() {
  for process in $tested $server; do
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  rm -rf "$temp"
}
trap finish EXIT

. ./server.sh

app() { (cd "$temp" && APP_ADDR=127.0.0.1:$port exec ./app "$@"); }

# serve SETTING... starts the app, with settings in its environment.
serve() {
  (cd "$temp" && exec env "APP_ADDR=127.0.0.1:$port" "$@" ./app serve) >>"$results/server.log" 2>&1 &
  server=$!
  until_true listening || { cat "$results/server.log" >&2; fail "the reference app does not listen on 127.0.0.1:$port"; }
}

stop() {
  kill "$server"
  wait "$server" || fail "the reference app did not stop cleanly: see results/authorization/server.log"
  server=
}

printed() { grep -q '^http.*/authorize?' "$out/log.txt"; }

# suite NAME FLAG... runs the scenarios; their output and checks are in results/authorization/NAME.
suite() {
  out=$results/$1
  mkdir -p "$out"
  : >"$out/log.txt"
  "$node" "$suite" authorization --url "http://127.0.0.1:$port" -p "$(free_port)" -o "$out" "${@:2}" >"$out/log.txt" 2>&1 &
  tested=$!
  until_true printed || { cat "$out/log.txt" >&2; fail "the suite prints no URL to open"; }
  "$node" ../interop/node/browser.mjs "$(grep '^http.*/authorize?' "$out/log.txt")" || fail "the browser failed; the server's log is in results/authorization/server.log"
  wait "$tested" || { cat "$out/log.txt" >&2; fail "not conforming; every check is in results/authorization/$1"; }
  tested=
  line=$("$node" tally.mjs "$out" "authorization server, $1 client") || fail "$line"
  echo "$line"
  [[ $line == *": 2 scenarios, 3 checks passed, 0 failed, 0 warned" ]] || fail "not all checks passed, want 3 of 2 scenarios"
}

# value NAME TEXT prints a value that client:create shows.
value() { sed -n "s/^ *$1  *//p" <<<"$2"; }

./install.sh
(cd ../.. && go build -buildvcs=false -o "$temp/app" .) || fail "the reference app does not build"
rm -rf "$results"
mkdir -p "$results"
port=$(free_port)

# The user is that of ../interop/node/browser.mjs.
app user:create ada@example.com --password-stdin <<<"correct horse battery staple" >/dev/null
public=$(app client:create suite --redirect http://127.0.0.1/callback)
confidential=$(app client:create suite --redirect http://127.0.0.1/callback --confidential)

serve
suite public --client-id "$(value client_id "$public")" --resource "http://127.0.0.1:$port/mcp/private"
stop
serve OAUTH_PUBLIC_CLIENTS=false
suite confidential --client-id "$(value client_id "$confidential")" --client-secret "$(value client_secret "$confidential")"
stop
