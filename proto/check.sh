#!/bin/sh
# Fails when the committed output of the protos is not what they generate.
set -eu
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
buf generate -o "$fresh"
diff -r proto/gen "$fresh/proto/gen" || { echo "proto/gen is not up to date: npm run proto, and commit it" >&2; exit 1; }
