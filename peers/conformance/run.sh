#!/usr/bin/env bash
# Runs the official MCP conformance suite against examples/everything.
#
#   ./run.sh [SCENARIO...]
#
# With no argument it runs every scenario of every scenarios-VERSION.txt; with
# arguments only those of them. It prints one line a scenario and exits 1 when a
# check fails or warns, or when a scenario checks nothing. The details of the last
# run are in results/. Needs bash, Go, npm, and port 3000 of the loopback
# interface. Node.js 22, which the suite needs, comes from npm.
set -euo pipefail
cd "$(dirname "$0")"

url=http://localhost:3000/mcp
node=node_modules/.bin/node
suite=node_modules/@modelcontextprotocol/conformance/dist/index.js
temp=$(mktemp -d)
server=

finish() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$temp"
}
trap finish EXIT

fail() {
  echo "conformance: $1" >&2
  exit 1
}

# Install again when the lock file is not the one that was installed from.
if ! cmp -s package-lock.json node_modules/.installed-lock; then
  npm ci >"$temp/npm.log" 2>&1 || { cat "$temp/npm.log" >&2; fail "npm ci failed"; }
  cp package-lock.json node_modules/.installed-lock
fi
"$node" --version >/dev/null || fail "$node does not run: let npm run the install script of the package \"node\", remove node_modules, and try again"

listening() { (exec 3<>/dev/tcp/127.0.0.1/3000) 2>/dev/null; }

listening && fail "something already listens on 127.0.0.1:3000: stop it, or it would be tested instead"
(cd ../../examples/everything && go build -buildvcs=false -o "$temp/everything" .) || fail "examples/everything does not build"
(cd "$temp" && exec ./everything serve) >"$temp/server.log" 2>&1 &
server=$!
for _ in $(seq 100); do
  listening && break
  kill -0 "$server" 2>/dev/null || { cat "$temp/server.log" >&2; fail "examples/everything ended before it listened"; }
  sleep 0.1
done
listening || { cat "$temp/server.log" >&2; fail "examples/everything does not listen on 127.0.0.1:3000"; }

rm -rf results
mkdir results
status=0
ran=0
line='%-12s %-45s %5s %5s %5s  %s\n'
# shellcheck disable=SC2059
printf "$line" version scenario pass fail warn ""
for list in scenarios-*.txt; do
  version=${list#scenarios-}
  version=${version%.txt}
  while read -r scenario; do
    case "$scenario" in "" | "#"*) continue ;; esac
    if [ $# -gt 0 ] && [[ " $* " != *" $scenario "* ]]; then continue; fi
    ran=$((ran + 1))
    out=results/$version/$scenario
    mkdir -p "$out"
    code=0
    "$node" "$suite" server --url "$url" --scenario "$scenario" --spec-version "$version" \
      --expected-failures expected-failures.yaml -o "$out" >"$out/log.txt" 2>&1 </dev/null || code=$?
    verdict=$("$node" tally.mjs "$out") || code=1
    read -r pass failed warn note <<<"$verdict"
    [ "$code" -eq 0 ] || { status=1; note="${note:-FAIL} (see $out)"; }
    # shellcheck disable=SC2059
    printf "$line" "$version" "$scenario" "$pass" "$failed" "$warn" "$note"
  done <"$list"
done

[ "$ran" -gt 0 ] || fail "no scenario of that name is listed in scenarios-*.txt: $*"
kill -0 "$server" 2>/dev/null || { cat "$temp/server.log" >&2; fail "examples/everything died during the run"; }
cp "$temp/server.log" results/server.log
[ $status -eq 0 ] || fail "not conforming; every check is in results/VERSION/SCENARIO, the server's log in results/server.log"
