#!/usr/bin/env bash
# Records the terminal session of docs/guide/getting-started.md: a person in an empty folder makes an app, adds a tool, and uses it in
# Claude Code. It writes docs/guide/getting-started.cast, which asciinema plays, and prints how long it took.
# npx svg-term-cli --in docs/guide/getting-started.cast --out docs/guide/getting-started.svg --window --no-cursor draws it.
#
# Needs tmux, asciinema and claude on the PATH. It works in a home folder of its own, with a cold build cache; Go modules come from the
# module cache.
set -euo pipefail
cd "$(dirname "$0")/../.."

module=$PWD
home=$(mktemp -d)
cast=$module/docs/guide/getting-started.cast
export GOMODCACHE GOPROXY=off GOTOOLCHAIN=local
GOMODCACHE=$(go env GOMODCACHE)
path=$home/go/bin:$PATH
ln -s "$module" "$home/bowline"
terminal=recording-$$
finish() {
  tmux kill-session -t "$terminal" 2>/dev/null || true
  chmod -R u+w "$home"
  rm -rf "$home"
}
trap finish EXIT

screen() { tmux capture-pane -p -S - -t "$terminal"; }

# prompted waits until the last line is a prompt, for 5 minutes.
prompted() {
  for _ in $(seq 3000); do
    [ "$(screen | grep -v '^ *$' | tail -1)" = '$' ] && return
    sleep 0.1
  done
  echo "record: no prompt after: $1" >&2
  screen >&2
  exit 1
}

# types COMMAND types a command as a person does, and waits until it has ended.
types() {
  sleep 1
  local i
  for ((i = 0; i < ${#1}; i++)); do
    tmux send-keys -t "$terminal" -l -- "${1:i:1}"
    sleep 0.04
  done
  tmux send-keys -t "$terminal" Enter
  sleep 0.3
  prompted "$1"
}

rm -f "$cast"
tmux new-session -d -c "$home" -s "$terminal" -x 110 -y 400 env -i HOME="$home" PATH="$path" GOMODCACHE="$GOMODCACHE" GOPROXY=off GOTOOLCHAIN=local \
  GOCACHE="$home/cache" TERM=xterm-256color PS1='$ ' LANG=C.UTF-8 asciinema rec --quiet --idle-time-limit 2 --command 'bash --norc --noprofile' "$cast"
prompted 'the start of the shell'
begin=$SECONDS
types 'go install -C ~/bowline ./cmd/mcp'
types 'mcp new shop --framework ~/bowline'
types 'cd shop'
types 'mcp make:tool Weather'
types 'go test ./...'
types 'mcp call shop weather input=Oslo'
types 'mcp install shop --client claude-code --dev'
types 'claude mcp list'
took=$((SECONDS - begin))
tmux send-keys -t "$terminal" 'exit' Enter
sleep 1
# The page shows the home folder of a person, and a window of 30 lines.
sed -i -e '1s/"height": [0-9]*/"height": 30/' -e "s#$home#/home/ana#g" "$cast"
echo "from nothing to a tool in Claude Code: $took s"
