#!/bin/sh
# Fails when the committed output of the protos is not what they generate.
set -eu
was=$(mktemp -d)
trap 'rm -rf "$was"' EXIT
cp -r proto/gen "$was/gen"
npm run --silent proto
diff -r "$was/gen" proto/gen || { echo "proto/gen was not up to date: it has been made anew, commit it" >&2; exit 1; }
