#!/bin/bash
# Every sample of k8s.io/api whose kind is served is the same from protobuf and from JSON. The samples come with the Go module; without them the test would only say so.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
go=$(HOME=$HOME_OF_CACHE "$here/scripts/fetch-go")
export GOMODCACHE GOFLAGS=-mod=mod
GOMODCACHE=$(HOME=$HOME_OF_CACHE "$go" env GOMODCACHE)
(cd "$here/tests/clients/go" && HOME=$HOME_OF_CACHE "$go" mod download k8s.io/api)
"$(dirname "$KUBETUTOR")/tests/test_practice_schema" > samples.log 2>&1 || { cat samples.log; exit 1; }
! grep 'no samples' samples.log
grep 'OK.*every_served_kind_is_the_same_in_json_and_protobuf' samples.log
