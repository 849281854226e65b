# In the tutor's screen: what is done by kubectl in another terminal turns the checks green by itself, in both languages; what the learner made
# goes with the lesson; a terminal that is closed under it leaves nothing behind.
. "$(dirname "$0")/lib.bash"
k create namespace "$ns" > /dev/null
before=$(inventory)
files=$here/../../lessons/nginx/files
mux() { tmux -L "kt-$$" -f /dev/null "$@"; }
trap 'code=$?; mux kill-server 2> /dev/null; (exit $code); finish' EXIT

open_screen() { # LANGUAGE
  printf 'exec "%s" --kubeconfig "%s" --yes -n "%s" --lang "%s" learn nginx/hand-in 2> screen.err\n' "$KUBETUTOR" "$KUBETUTOR_LIVE_KUBECONFIG" "$ns" "$1" > screen-command
  mux new-session -d -x 110 -y 40 "exec bash $PWD/screen-command"
  mux set-option -g remain-on-exit on > /dev/null
  program=$(mux display-message -p '#{pane_pid}')
}
shows() { # REGEX [SECONDS]: waits until the screen holds it
  local i
  for i in $(seq $((${2:-30} * 5))); do
    output=$(mux capture-pane -p 2>&1)
    ! grep -Eq -- "$1" <<< "$output" || return 0
    sleep 0.2
  done
  fault "the screen does not show in ${2:-30} s: $1"; show; return 1
}
gone() { # waits for the program's end; tmux may be slow to bury it
  local i
  for i in $(seq 50); do [ -e "/proc/$program" ] && ! grep -q '^State:[[:space:]]*Z' "/proc/$program/status" 2> /dev/null || return 0; sleep 0.2; done
  # a pane that remains keeps no process
  fault "the program still runs ($1)"
}

for language in en zh; do
  note "$language"
  open_screen "$language"
  shows '3 (The menu was accepted|.*菜单)'
  shows '│ (\?|？).*3' # the question is asked once the step has begun
  mux send-keys 3
  shows '✗ .*nginx'
  k -n "$ns" create deployment extra --image=nginx > /dev/null
  k -n "$ns" apply -f "$files/nginx.yaml" > /dev/null
  shows '─ ✓ ' 90
  shows 'extra'
  mux send-keys L
  if [ "$language" = en ]; then shows '第 2 |步'; else shows 'step 2 of'; fi
  mux send-keys L
  mux send-keys q
  gone "after q"
  expect 0 tutor check nginx
  expect 0 tutor reset nginx
  leaves_nothing "$before"
  mux kill-server
done

note "the terminal is closed under it"
open_screen en
shows '3 The menu was accepted'
k -n "$ns" create deployment extra --image=nginx > /dev/null
shows 'extra'
mux kill-server
gone "after its terminal was closed"
expect 0 tutor reset nginx
leaves_nothing "$before"
[ ! -s screen.err ] || { output=$(cat screen.err); says_not 'Sanitizer|runtime error'; }
