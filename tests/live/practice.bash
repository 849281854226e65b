# For cases about the practice cluster: starts one of the program under test in the case's own home, and where it is asked for the real API server beside it (LIVE_ONLY=api, number 2).
# shellcheck shell=bash
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scripts=$here/scripts
practice_end() {
  local code=$?
  trap - EXIT
  "$KUBETUTOR" cluster down > /dev/null || true
  [ -z "${reference:-}" ] || LIVE_NUMBER=2 "$LIVE_CLUSTER" down > /dev/null || true
  exit $code
}
trap practice_end EXIT
export XDG_STATE_HOME=$PWD/state
mkdir -p "$XDG_STATE_HOME"
unset KUBECONFIG
"$KUBETUTOR" cluster up ${practice_options:-}
practice=$("$KUBETUTOR" cluster up | sed -n 's/.*KUBECONFIG=//p')

# need_reference: sets reference to the kubeconfig of a real API server with only the controllers that belong to it
need_reference() {
  LIVE_NUMBER=2 LIVE_ONLY=api "$LIVE_CLUSTER" up
  reference=$(LIVE_NUMBER=2 "$LIVE_CLUSTER" kubeconfig)
}
