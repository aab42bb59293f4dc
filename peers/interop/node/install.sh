#!/bin/sh
# Installs the Node.js packages of the interop tests, at the versions that
# package-lock.json pins. Needs Node.js 20 or newer and npm. npm warns that some packages
# require Node.js 22; the parts that the tests use run on 20.
set -eu
cd "$(dirname "$0")"
exec npm ci
