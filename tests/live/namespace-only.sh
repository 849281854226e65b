# An account that may do everything in one namespace and nothing elsewhere: the lessons work there. One that may only read: said, with 4.
. "$(dirname "$0")/lib.bash"
k create namespace "$ns" > /dev/null
k -n "$ns" create serviceaccount learner > /dev/null
k -n "$ns" create serviceaccount reader > /dev/null
k -n "$ns" create role learner --verb='*' --resource='*.*' > /dev/null
k -n "$ns" patch role learner --type=json -p '[{"op":"replace","path":"/rules","value":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]}]' > /dev/null
k -n "$ns" create rolebinding learner --role=learner --serviceaccount="$ns:learner" > /dev/null
k -n "$ns" create rolebinding reader --clusterrole=view --serviceaccount="$ns:reader" > /dev/null

kubeconfig_of() { # ACCOUNT: writes ACCOUNT.kubeconfig, whose context names the namespace
  local cluster
  cluster=$(k config view --raw -o jsonpath='{.clusters[0].name}')
  ( umask 077; k config view --raw > "$1.kubeconfig" )
  "$KUBECTL" --kubeconfig "$1.kubeconfig" config set-credentials "$1" --token="$(k -n "$ns" create token "$1" --duration=2h)" > /dev/null
  "$KUBECTL" --kubeconfig "$1.kubeconfig" config set-context "$1" --cluster="$cluster" --user="$1" --namespace="$ns" > /dev/null
  "$KUBECTL" --kubeconfig "$1.kubeconfig" config use-context "$1" > /dev/null
}
kubeconfig_of learner
kubeconfig_of reader
before=$(inventory)
as() { local who=$1; shift; "$KUBETUTOR" --kubeconfig "$who.kubeconfig" --yes "$@"; }

note "everything in the namespace"
expect 0 as learner doctor
says "may be made in namespace $ns"
expect 0 as learner play nginx --keep --pace fast
says "namespace $ns"
expect 0 as learner check nginx
expect 0 k -n "$ns" scale deployment/nginx --replicas=2
expect 1 as learner check nginx
says 'spec\.replicas is 2, wanted 3'
expect 0 as learner reset nginx
leaves_nothing "$before"
expect 0 as learner play init-containers --keep --pace fast
expect 0 as learner check init-containers
expect 0 as learner reset --all
leaves_nothing "$before"

note "a lesson that wants more says so before it makes anything"
expect 4 as learner play custom-resources --pace fast
says 'customresourcedefinitions'
leaves_nothing "$before"

note "reading only"
expect 4 as reader doctor
says 'not allowed in namespace'
expect 1 as reader check nginx
expect 4 as reader play nginx --pace fast
says 'may not|not allowed|forbidden|permission'
leaves_nothing "$before"

note "what may not be looked at: the namespace of last time stays, and a new one is made where that is permitted"
expect 0 as learner play nginx/hand-in --keep --pace fast
"$KUBECTL" --kubeconfig learner.kubeconfig config set-context learner --namespace=default > /dev/null
expect 0 as learner check nginx/hand-in
says "namespace $ns\$"
expect 0 as learner reset nginx
says "namespace $ns\$"
leaves_nothing "$before"
expect 0 as learner play nginx/hand-in --pace fast
says "namespace $ns\$"
"$KUBECTL" --kubeconfig learner.kubeconfig config set-context learner --namespace="$ns" > /dev/null
k -n "$ns" create serviceaccount maker > /dev/null
k create clusterrole "$ns" --verb=create --resource=namespaces > /dev/null
k patch clusterrole "$ns" --type=json -p '[{"op":"add","path":"/rules/-","value":{"apiGroups":["","apps"],"resources":["pods","services","configmaps","serviceaccounts","events","deployments","replicasets","services/proxy","pods/exec","pods/log"],"verbs":["*"]}},{"op":"add","path":"/rules/-","value":{"apiGroups":["discovery.k8s.io"],"resources":["*"],"verbs":["*"]}}]' > /dev/null
k create clusterrolebinding "$ns" --clusterrole="$ns" --serviceaccount="$ns:maker" > /dev/null
kubeconfig_of maker
expect 1 k auth can-i get namespaces --as="system:serviceaccount:$ns:maker"
namespaces+=("$ns-made")
expect 0 as maker -n "$ns-made" play nginx/hand-in --pace fast
says "namespace $ns-made\$"
[ "$(k get namespace "$ns-made" -o 'jsonpath={.metadata.labels.app\.kubernetes\.io/managed-by}')" = kubetutor ] || fault "the namespace was not made"
k delete clusterrolebinding,clusterrole "$ns" > /dev/null

note "another namespace than the one allowed"
expect 4 as learner -n default play nginx --pace fast
expect 4 as learner -n kt-never-made play nginx --pace fast
