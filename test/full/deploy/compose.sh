#!/bin/sh
# npm run proof -- compose [FILE…]: starts docker-compose.yml on this machine's container engine, runs the end-to-end
# tests against it, and removes the containers and their volumes. COMPOSE_MORE names another compose file to add,
# COMPOSE a command to use instead of `docker compose`.
set -eu
cd "$(dirname "$0")/../.."

log_dir=$(mktemp -d)
reader_token=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
token_sha256=$(printf %s "$reader_token" | sha256sum | cut -d' ' -f1)
methods='["/credentials.v1.CredentialsService/GetStatus","/keys.v1.KeysService/*"]'
export GATEWAY_1_PORT=18080 GATEWAY_2_PORT=18081
export E2E_SERVICE_CALLERS="{\"reader\":{\"methods\":$methods,\"max_in_flight\":8,\"token_sha256\":\"$token_sha256\"}}"

E2E_GRPC=$(node test/full/deploy/compose-e2e.ts "$log_dir/compose.json")
export E2E_GRPC

compose() {
    ${COMPOSE:-docker compose} -p credential-service-e2e -f docker-compose.yml -f "$log_dir/compose.json" \
        ${COMPOSE_MORE:+-f "$COMPOSE_MORE"} "$@"
}
secret() { compose exec -T "$1" cat "/run/secrets/$2"; }
finish() { compose down --volumes --timeout 5 >"$log_dir/down" 2>&1 && rm -r "$log_dir"; }
trap finish EXIT
trap 'exit 130' INT TERM

compose up --detach --build
for url in http://127.0.0.1:18080 http://127.0.0.1:18081; do
    for _ in $(seq 1 120); do
        curl -sf "$url/internal/health" | grep -q '"status":"healthy"' && break
        sleep 0.5
    done
done
compose logs --follow --no-color --no-log-prefix >"$log_dir/grpc-compose.log" 2>&1 &

# Published ports hide the address of the client: all requests seem to come from the gateways' default route.
E2E_ONE_ADDRESS=$(compose exec -T gateway-1 node -p '
    const [, gateway] = fs.readFileSync("/proc/net/route", "utf8").match(/\t00000000\t(\w{8})/);
    Buffer.from(gateway, "hex").reverse().join(".")')
export E2E_ONE_ADDRESS E2E_TRANSPORT=grpc E2E_LOG_DIR="$log_dir" E2E_READER_TOKEN="$reader_token"
export E2E_URLS=http://127.0.0.1:18080,http://127.0.0.1:18081
E2E_INTERNAL_SECRET=$(secret gateway-1 internal/secret)
E2E_SERVICE_TOKEN=$(secret gateway-1 services/token)
E2E_DATABASE_URL=$(secret did database/url | sed 's/postgres:5432/127.0.0.1:15432/')
E2E_JWT_KEYS=$(secret identity signing/keys.pem)
E2E_KEK=$(secret signing kek/keys)
export E2E_INTERNAL_SECRET E2E_SERVICE_TOKEN E2E_DATABASE_URL E2E_JWT_KEYS E2E_KEK
[ $# -gt 0 ] || set -- test/e2e test/full/e2e
npm test -- "$@"
