#!/bin/sh
# Fails if proto/gen or proto/descriptors.binpb differs from the output that the proto files generate now.
set -eu
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
buf generate -o "$fresh"
buf build --as-file-descriptor-set -o "$fresh/descriptors.binpb"
diff -r proto/gen "$fresh/proto/gen" && cmp proto/descriptors.binpb "$fresh/descriptors.binpb" ||
    { echo "proto/gen or proto/descriptors.binpb is not up to date: npm run proto, and commit both" >&2; exit 1; }
