#!/bin/sh
# Fails when the committed output of the protos is not what they generate.
set -eu
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
buf generate -o "$fresh"
buf build --as-file-descriptor-set -o "$fresh/descriptors.binpb"
diff -r proto/gen "$fresh/proto/gen" && cmp proto/descriptors.binpb "$fresh/descriptors.binpb" ||
    { echo "proto/gen or proto/descriptors.binpb is not up to date: npm run proto, and commit both" >&2; exit 1; }
