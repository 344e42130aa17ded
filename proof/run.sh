#!/bin/sh
# npm run proof -- NAME [ARGUMENT…]: runs one of the programs that README.md lists. Arguments are passed on to it.
set -eu
name=${1-}
[ $# -eq 0 ] || shift
tests='exec node test/run.ts'
case $name in
fuzz) exec node proof/fuzz/fuzz.ts "$@" ;;
soak) exec node proof/soak/soak.ts "$@" ;;
mutation) exec node proof/mutation/mutate.ts "$@" ;;
wallets) exec node proof/wallets/run.ts ;;
take) exec node proof/wallets/take.ts "$@" ;;
versions) exec node proof/versions/versions.ts "$@" ;;
citus) exec node proof/citus/nodes.ts "$@" ;;
faults) NODE_COMPILE_CACHE=$PWD/node_modules/.cache/compile exec node test/full/faults/faults.ts "$@" ;;
compose) exec sh test/full/deploy/compose.sh "$@" ;;
pgbouncer) E2E_POOLER=pgbouncer $tests test/e2e test/full/e2e "$@" ;;
attack) ATTACK=whole TEST_TIMEOUT_S=3600 $tests test/full/attack "$@" ;;
races) RACE_ROUNDS=200 TEST_TIMEOUT_S=1800 $tests test/full/e2e/races/ "$@" ;;
verdicts) VERDICTS=5000 TEST_TIMEOUT_S=1800 $tests test/e2e/credentials/verdicts test/e2e/sd-jwt/verdicts "$@" ;;
canaries) CANARY_WAIT_S=60 TEST_TIMEOUT_S=1800 $tests test/proof/canaries test/full/process/service/canaries "$@" ;;
tests) $tests test/proof "$@" ;;
rolling) ROLLING_REQUESTS=20000 TEST_TIMEOUT_S=1800 $tests test/proof/rolling-restart "$@" ;;
killed) KILLED_CALLS=50000 KILLED_PUBLISHERS=200 KILLED_EVENTS=100000 KILLED_ERASURES=30 TEST_TIMEOUT_S=3600 $tests test/proof/killed test/full/process/service/killed "$@" ;;
import) IMPORTED_LINES=100000 TEST_TIMEOUT_S=3600 $tests test/proof/large-import "$@" ;;
erasure) ERASED_ROWS=1000000 TEST_TIMEOUT_S=3600 $tests test/proof/large-erasure "$@" ;;
limits) LIMITS=all TEST_TIMEOUT_S=7200 $tests test/proof/exact-limits "$@" ;;
*)
    echo "npm run proof -- NAME: the names are in docs/testing.md" >&2
    exit 2
    ;;
esac
