# The API server goes away: 4 within ten seconds and one sentence; it comes back: everything goes on, and reset leaves nothing.
. "$(dirname "$0")/lib.bash"
k create namespace "$ns" > /dev/null
before=$(inventory)
trap '"$LIVE_CLUSTER" start apiserver > /dev/null 2>&1; exit 130' INT TERM
expect 0 tutor play nginx/hand-in --keep --pace fast
expect 0 tutor check nginx

soon() { # COMMAND...: ends 4 within ten seconds, with a sentence that names the server
  local began=$SECONDS
  expect 4 "$@"
  [ $((SECONDS - began)) -le 10 ] || fault "$* took $((SECONDS - began)) seconds"
  says 'kubetutor: |✗'
}
note "without the API server"
"$LIVE_CLUSTER" stop apiserver
soon tutor check nginx
says 'refuses connections|does not answer'
soon tutor check nginx --wait 60s
soon tutor reset nginx
soon tutor solve nginx/hand-in
soon tutor play nginx
soon tutor selftest nginx
soon tutor doctor
soon tutor check nginx -o "json=$PWD/r.json"
expect 0 python3 -c 'import json; assert json.load(open("r.json"))["exit_code"] == 4'
expect 0 tutor list

note "it comes back while check waits"
"$LIVE_CLUSTER" start apiserver
expect 0 tutor check nginx --wait 60s
k -n "$ns" scale deployment/nginx --replicas=2 > /dev/null
tutor check nginx --wait 120s -v > waiting.txt 2>&1 < /dev/null &
waiting=$!
appears 'GET [^ ]*/services\?.*: 200' waiting.txt
"$LIVE_CLUSTER" stop apiserver
appears 'refuses connections|broke the connection' waiting.txt
"$LIVE_CLUSTER" start apiserver
k -n "$ns" scale deployment/nginx --replicas=3 > /dev/null || fault "kubectl cannot scale"
wait $waiting
code=$?
output=$(cat waiting.txt)
[ $code = 0 ] || { fault "check that waited through it ended with $code"; show; }

expect 0 tutor reset nginx
leaves_nothing "$before"
