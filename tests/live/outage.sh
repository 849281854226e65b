# The way to the cluster is cut while play and solve wait: after twenty seconds they say why and end 4, with what is left and how to remove it. What
# never comes true ends 1, with its name and the time.
. "$(dirname "$0")/lib.bash"
k create namespace "$ns" > /dev/null
before=$(inventory)
mkdir -p pack/patience
cat > pack/course.lua <<'LUA'
return course {
  title = t { en = "Patience", zh = "耐心" },
  chapters = { { id = "kitchen", title = t { en = "The kitchen", zh = "厨房" }, lessons = { "patience" } } },
}
LUA
cat > pack/patience/lesson.lua <<'LUA'
return lesson {
  id = "patience", chapter = "kitchen", level = "beginner", minutes = 5, after = {}, needs = { "configmaps" }, images = {},
  steps = {
    step "never" {
      final = true,
      check = function(k) k:get("configmaps", "kettle"):expect { data = { water = "boiling" } } end,
      solve = function(k) k:apply { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "kettle" }, data = { water = "cold" } } end,
    },
  },
}
LUA
printf '# Patience\n\nIt never boils.\n\n## {#never} Wait\n\nWait.\n' > pack/patience/en.md
printf '# 耐心\n\n水总是不开。\n\n## {#never} 等\n\n请等。\n' > pack/patience/zh.md

server=$(k config view --raw -o 'jsonpath={.clusters[0].cluster.server}') server=${server#https://}
( umask 077; k config view --raw > cut.kubeconfig )
trap 'ended=$?; kill ${way:-} ${program:-} 2> /dev/null; (exit $ended); finish' EXIT
open_way() {
  rm -f port
  python3 "$here/cut.py" "${server%:*}" "${server##*:}" port & way=$!
  until [ -s port ]; do kill -0 $way || exit 1; sleep 0.1; done
  "$KUBECTL" --kubeconfig cut.kubeconfig config set-cluster "$(k config view --raw -o 'jsonpath={.clusters[0].name}')" \
    --server="https://127.0.0.1:$(cat port)" --tls-server-name="${server%:*}" > /dev/null
}
over_it() { "$KUBETUTOR" --kubeconfig cut.kubeconfig --pack pack --yes -n "$ns" "$@"; }
cut_during() { # COMMAND...: cut once the object of the solution is there
  local code began
  open_way
  over_it "$@" > cut.txt 2>&1 < /dev/null & program=$!
  until k -n "$ns" get configmap kettle > /dev/null 2>&1 || ! kill -0 $program 2> /dev/null; do sleep 0.2; done
  kill $way; wait $way 2> /dev/null
  began=$SECONDS
  wait $program; code=$?
  output=$(cat cut.txt)
  [ $code = 4 ] || { fault "$* over a way that was cut ended with $code"; show; }
  [ $((SECONDS - began)) -le 60 ] || fault "$* took $((SECONDS - began)) seconds after the cut"
  says '^kubetutor: the cluster has been out of reach for [0-9]+ s: .*(refuses connections|broke)'
  says_not 'Sanitizer|runtime error'
}
note "play"
cut_during play patience --pace fast
says '^kubetutor: left in the cluster: configmaps/kettle; kubetutor reset patience removes it'
expect 0 tutor --pack pack reset patience
leaves_nothing "$before"
note "solve"
cut_during solve patience
expect 0 tutor --pack pack reset patience
leaves_nothing "$before"

note "a cut that is mended in time is none"
open_way
over_it play patience --keep --pace fast --wait 40s > cut.txt 2>&1 < /dev/null & program=$!
until k -n "$ns" get configmap kettle > /dev/null 2>&1 || ! kill -0 $program 2> /dev/null; do sleep 0.2; done
kill $way; wait $way 2> /dev/null
python3 "$here/cut.py" "${server%:*}" "${server##*:}" mended "$(cat port)" & way=$!
k -n "$ns" patch configmap kettle -p '{"data":{"water":"boiling"}}' > /dev/null
wait $program; code=$?
output=$(cat cut.txt)
[ $code = 0 ] || { fault "play over a way that was mended ended with $code"; show; }
kill $way; wait $way 2> /dev/null
expect 0 tutor --pack pack reset patience
leaves_nothing "$before"

note "what never comes true"
expect 1 tutor --pack pack play patience --pace fast --wait 3s
says '^kubetutor: step never is not done after 3 s; it waited for this: .*data\.water is "cold", wanted "boiling"'
leaves_nothing "$before"
expect 1 tutor --pack pack solve patience --wait 3s
says '^kubetutor: step never is not done after 3 s; it waited for this: .*data\.water'
expect 0 tutor --pack pack reset patience
leaves_nothing "$before"
