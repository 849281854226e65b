# Each lesson performs itself, is checked, and goes without a trace; a wrong number is named.
. "$(dirname "$0")/lib.bash"
k create namespace "$ns" > /dev/null
before=$(inventory)

note "nginx"
expect 0 tutor play nginx --keep --pace fast
expect 0 tutor check nginx
expect 0 k -n "$ns" scale deployment/nginx --replicas=2
expect 1 tutor check nginx
says 'spec\.replicas is 2, wanted 3'
expect 1 "$KUBETUTOR" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" -n "$ns" check nginx -o "json=$PWD/r.json" -o "junit=$PWD/r.xml" -o text
says 'spec\.replicas is 2, wanted 3'
expect 0 python3 -c '
import json
report = json.load(open("r.json"))
found = []
def walk(v):
    if isinstance(v, dict):
        if v.get("path") == "spec.replicas":
            found.append((str(v.get("expected")), str(v.get("actual")), v.get("holds", v.get("outcome"))))
        v = list(v.values())
    if isinstance(v, list):
        for item in v:
            walk(item)
walk(report)
assert report["exit_code"] == 1, report["exit_code"]
assert any(e == "3" and a == "2" for e, a, _ in found), found'
expect 0 python3 -c '
import xml.etree.ElementTree as tree
text = tree.tostring(tree.parse("r.xml").getroot(), encoding="unicode")
assert "<failure" in text and "spec.replicas" in text, text'
expect 1 env LANGUAGE=zh "$KUBETUTOR" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" -n "$ns" check nginx
says 'spec\.replicas.*2.*3'
note "what the learner does while check waits is seen"
tutor check nginx --wait 60s -v > waiting.txt 2>&1 < /dev/null & waiting=$!
appears 'GET [^ ]*/services\?.*: 200' waiting.txt
k -n "$ns" scale deployment/nginx --replicas=3 > /dev/null
wait $waiting
code=$?
output=$(cat waiting.txt)
[ $code = 0 ] || { fault "check that waited ended with $code"; show; }
says_not 'Sanitizer|runtime error'
expect 0 tutor reset nginx
leaves_nothing "$before"
expect 1 tutor check nginx
expect 0 tutor reset nginx
leaves_nothing "$before"

for lesson in init-containers custom-resources self-healing; do
  note "$lesson"
  expect 0 tutor play "$lesson" --keep --pace fast
  if [ "$lesson" != self-healing ]; then expect 0 tutor check "$lesson"; fi # its last step is about what was seen
  expect 0 tutor reset "$lesson"
  leaves_nothing "$before"
done

note "without --keep a lesson clears up after itself"
expect 0 tutor play nginx/hand-in --pace fast
leaves_nothing "$before"

note "foreign things stay: what was there before, with the same names of other kinds"
k -n "$ns" create configmap mine > /dev/null
k -n "$ns" create deployment other --image=nginx > /dev/null
k -n "$ns" wait --for=condition=Available deployment/other --timeout=60s > /dev/null
with_foreign=$(inventory)
expect 0 tutor play nginx --keep --pace fast
expect 0 tutor reset --all
leaves_nothing "$with_foreign"
