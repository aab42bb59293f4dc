#!/bin/sh
# Installs the Node.js clients that the interop tests drive, at the versions that
# package-lock.json pins. Needs Node.js 20 or newer and npm. Some packages ask for
# Node.js 22 and npm warns about it; what the tests use of them runs on 20.
set -eu
cd "$(dirname "$0")"
exec npm ci
