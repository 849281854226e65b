#!/bin/bash
# Kubernetes' own end-to-end suite on the practice cluster: the conformance specs that tests/e2e/listed.txt does not name (about a minute); with --full the slow
# ones too, and the listed ones, in case one passes by now (about 20 minutes).
# The suite takes minutes and gigabytes to build: that happens with --full and in CI; otherwise the case only says so where it is not built yet.
set -euo pipefail
suite=$(dirname "$("$LIVE_CLUSTER" kubectl)")/e2e.test
if [ -n "${KUBETUTOR_FULL:-}${CI:-}" ]; then
  HOME=$HOME_OF_CACHE "$LIVE_CLUSTER" e2e
elif [ ! -x "$suite" ]; then
  echo "left to --full: the suite is not built ($LIVE_CLUSTER e2e)"
  exit 0
fi
practice_options=--api-only # nothing changes an object by itself
. "$(dirname "$0")/practice.bash"
python3 -B "$here/tests/e2e/run.py" "$suite" "$KUBECTL" "$practice" --folder "$PWD/e2e" "$([ -n "${KUBETUTOR_FULL:-}" ] && echo --all || echo --quick)"
