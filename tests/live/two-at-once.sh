# Two programs with one home: in two namespaces, and in one; what they share goes with the last of them.
. "$(dirname "$0")/lib.bash"
other=$ns-b
namespaces+=("$other")
k create namespace "$ns" > /dev/null
k create namespace "$other" > /dev/null
before=$(inventory) other_before=$(inventory "$other")
there() { "$KUBETUTOR" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" --yes -n "$other" "$@"; }
both() { # COMMAND...: at the same time in both namespaces, both 0
  local code
  there "$@" > there.txt 2>&1 < /dev/null &
  expect 0 tutor "$@"
  wait $!
  code=$?
  output=$(cat there.txt)
  [ $code = 0 ] || { fault "$* in the other namespace ended with $code"; show; }
}
note "nginx in both"
both play nginx/hand-in --keep --pace fast
both check nginx
expect 0 tutor reset nginx
expect 0 there check nginx
expect 0 there reset nginx
leaves_nothing "$before"
leaves_nothing "$other_before" "$other"

note "a definition that both use"
both play custom-resources --keep --pace fast
expect 0 tutor reset custom-resources
expect 0 k get crd feasts.kubetutor.dev
expect 0 there check custom-resources
expect 0 there reset custom-resources
leaves_nothing "$before"
leaves_nothing "$other_before" "$other"

note "twice the same in one namespace"
expect 0 tutor solve nginx/hand-in
tutor check nginx > one.txt 2>&1 < /dev/null &
expect 0 tutor check nginx
wait $! || fault "the other check ended with $?"
expect 0 tutor reset nginx
leaves_nothing "$before"
