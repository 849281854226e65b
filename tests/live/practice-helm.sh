#!/bin/bash
# helm on the practice cluster: a chart of `helm create` is installed, upgraded, rolled back and removed.
set -euo pipefail
. "$(dirname "$0")/practice.bash"
helm=$(HOME=$HOME_OF_CACHE "$scripts/fetch-kubectl" helm)
kubectl=$(HOME=$HOME_OF_CACHE "$scripts/fetch-kubectl" 1.37)
export KUBECONFIG=$practice
replicas() { "$kubectl" get deployment shop-demo -o 'jsonpath={.spec.replicas}'; }
rm -rf demo
"$helm" create demo
"$helm" install shop ./demo
[ "$(replicas)" = 1 ]
"$helm" upgrade shop ./demo --set replicaCount=3
[ "$(replicas)" = 3 ]
"$helm" rollback shop 1
[ "$(replicas)" = 1 ]
"$helm" history shop | grep -q 'Rollback to 1'
"$helm" uninstall shop
[ -z "$("$kubectl" get deployments,secrets -o name)" ]
