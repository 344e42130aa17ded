#!/bin/sh
# Installs the dependencies unless those of this package-lock.json are installed. Concurrent runs wait for each other.
set -eu
exec flock .install.lock sh -ec '
    cmp -s package-lock.json node_modules/.installed && exit
    echo "Installing the dependencies, which takes about half a minute." >&2
    npm ci --include=dev --include=optional --no-audit --no-fund --loglevel=error
    cp package-lock.json node_modules/.installed'
