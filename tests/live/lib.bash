# What the live cases share. A case sources it first; it works in a namespace of its own, which goes when the case ends.
#   tutor ARGUMENT...            the program on the live cluster, in the case's namespace
#   k ARGUMENT...                kubectl as admin
#   expect CODE COMMAND...       runs it and compares the exit code; what it printed is in $output (both streams)
#   says REGEX, says_not REGEX   looks into $output
#   appears REGEX FILE           waits until a program that runs meanwhile has written it
#   inventory                    everything that is in the namespace, but for events and what every namespace has; leaves_nothing compares
set -uo pipefail
# shellcheck disable=SC2034 # for the cases
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${KUBETUTOR:?the program}" "${KUBECTL:?kubectl}" "${KUBETUTOR_LIVE_KUBECONFIG:?the admin kubeconfig}"
ns=kt-$(basename "$0" .sh | cut -c1-40)-$$
output="" faults=0
namespaces=("$ns")

k() { "$KUBECTL" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" "$@"; }
tutor() { "$KUBETUTOR" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" --yes -n "$ns" "$@"; }
note() { printf '%s -- %s\n' "$(date +%H:%M:%S)" "$*"; }
fault() { faults=$((faults + 1)); printf 'FAULT %s\n' "$*"; }
show() { printf '%s\n' "$output" | tail -n 40 | sed 's/^/    | /'; }

expect() {
  local wanted=$1 code; shift
  output=$("$@" 2>&1 < /dev/null); code=$?
  case $output in *Sanitizer*|*"runtime error"*) fault "a sanitizer speaks in: $*"; show ;; esac
  [ $code = "$wanted" ] || { fault "$* ended with $code, not $wanted"; show; return 1; }
}
says() { grep -Eq -- "$1" <<< "$output" || { fault "is not said: $1"; show; return 1; }; }
says_not() { ! grep -Eq -- "$1" <<< "$output" || { fault "is said: $1"; show; return 1; }; }

# appears REGEX FILE [SECONDS]: waits until a line of the file has it; for programs that run meanwhile
appears() {
  local i
  for i in $(seq $((${3:-60} * 5))); do ! grep -Eqs -- "$1" "$2" || return 0; sleep 0.2; done
  output=$(cat "$2")
  fault "does not appear in ${3:-60} s: $1"; show; return 1
}

inventory() {
  local kinds
  kinds=$(k api-resources --verbs=list --namespaced -o name | grep -vE '^(events|events\.events\.k8s\.io|.*\.metrics\.k8s\.io)$' | paste -sd,)
  k get "$kinds" -n "${1:-$ns}" -o name --ignore-not-found 2> /dev/null | grep -vxE 'serviceaccount/default|configmap/kube-root-ca.crt' | sort
  k get crd,clusterroles,clusterrolebindings -l app.kubernetes.io/managed-by=kubetutor -o name 2> /dev/null | sort
}

# leaves_nothing BEFORE [NAMESPACE]: nothing is there that was not there before, and nothing of the namespace is missing. Pods that end in
# order have 45 seconds for it.
leaves_nothing() {
  local wrong="" i
  for i in $(seq 45); do
    wrong=$(diff <(printf '%s\n' "$1") <(inventory "${2:-$ns}") | grep -E '^> .|^< (pod|deployment|configmap|service)' | sed 's/^</missing:/;s/^>/left:/')
    [ -n "$wrong" ] || return 0
    sleep 1
  done
  fault "it is not as before, after $i seconds:"
  printf '%s\n' "$wrong" | sed 's/^/    /'
}

finish() {
  local code=$? name
  trap - EXIT
  for name in "${namespaces[@]}"; do k delete namespace "$name" --ignore-not-found --wait=false > /dev/null 2>&1; done
  [ "$code" = 0 ] || fault "the case ended early with $code"
  [ "$faults" = 0 ] || { echo "$faults fault(s)"; exit 1; }
  echo "no fault"
  exit 0
}
trap finish EXIT
trap 'exit 130' INT TERM
