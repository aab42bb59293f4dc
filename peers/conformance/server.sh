# What run.sh and authorization.sh share to start a server. They set node, and port before they wait for it.

fail() {
  echo "conformance: $1" >&2
  exit 1
}

free_port() {
  "$node" -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close() })'
}

# until_true COMMAND... runs a command until it succeeds, for 10 s.
until_true() {
  for _ in $(seq 100); do
    "$@" && return
    sleep 0.1
  done
  return 1
}

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }
