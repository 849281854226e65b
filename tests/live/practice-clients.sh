#!/bin/bash
# The client libraries that people use, on the practice cluster: Python's; with --full client-go and a controller-runtime manager, too (building them takes minutes the first time).
set -euo pipefail
practice_options=--api-only # nothing changes an object by itself
. "$(dirname "$0")/practice.bash"
cache=${HOME_OF_CACHE}/.cache/kubetutor
venv=$cache/python-client-37.0.2
if [ ! -e "$venv/done" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check kubernetes==37.0.2
  touch "$venv/done"
fi
"$venv/bin/python" -B "$here/tests/clients/python_client.py" "$practice"
if [ -n "${KUBETUTOR_FULL:-}" ]; then
  go=$(HOME=$HOME_OF_CACHE "$scripts/fetch-go")
  (cd "$here/tests/clients/go" && HOME=$HOME_OF_CACHE "$go" build -o "$OLDPWD/clients" .)
  ./clients every "$practice" "$here/tests/clients/objects.yaml"
  ./clients manager "$practice"
fi
