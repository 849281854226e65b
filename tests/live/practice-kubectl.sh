#!/bin/bash
# One and the same kubectl script on the practice cluster and on a real API server: kubectl 1.24 and 1.37; with --full every minor between.
set -euo pipefail
practice_options=--api-only # nothing changes an object by itself, as in the real API server beside it
. "$(dirname "$0")/practice.bash"
need_reference
minors="1.24 1.37"
[ -z "${KUBETUTOR_FULL:-}" ] || minors="1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37"
failed=""
for minor in $minors; do
  kubectl=$(HOME=$HOME_OF_CACHE "$scripts/fetch-kubectl" "$minor")
  python3 -B "$here/tests/kubectl/run.py" "$kubectl" "$practice" "$reference" || failed+=" $minor"
done
[ -z "$failed" ] || { echo "different with kubectl$failed"; exit 1; }
