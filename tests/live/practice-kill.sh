#!/bin/bash
# The practice cluster is killed while it is written to: 40 times; with --full a thousand.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
python3 -B "$here/tests/practice/kill.py" "$KUBETUTOR" "$([ -n "${KUBETUTOR_FULL:-}" ] && echo 1000 || echo 40)"
