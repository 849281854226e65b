#!/bin/bash
# exec, attach, logs, cp, port-forward and top of real kubectls (WebSocket and SPDY) against the API server with somebody behind it who pretends to run Pods.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
kubectls=()
for minor in 1.24 1.30 1.37; do
  kubectls+=("$(HOME=$HOME_OF_CACHE "$here/scripts/fetch-kubectl" "$minor")")
done
exec python3 -B "$here/tests/practice/streams/run.py" "$(dirname "$KUBETUTOR")/tests/practice_serve" "${kubectls[@]}"
