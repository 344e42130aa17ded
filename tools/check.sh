#!/bin/sh
# npm run check: types, style, and whether everything that is generated is up to date.
set -eu
for project in . client verify cli; do
    tsc -p "$project" --noEmit
done
biome check .
buf lint
buf breaking --against proto/baseline.binpb
sh proto/check.sh
node tools/client/generate.ts --check
node tools/dashboards/generate.ts --check
node tools/reference/generate.ts --check
