# Ctrl-C, TERM and KILL at any moment of play: what is left, reset removes.
. "$(dirname "$0")/lib.bash"
k create namespace "$ns" > /dev/null
before=$(inventory)
RANDOM=${SEED:-$$}
note "SEED=${SEED:-$$} repeats it"

round() { # SIGNAL LESSON TENTHS: one that came after the end says nothing, and is done again with half the time
  local program code
  "$KUBETUTOR" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" --yes -n "$ns" play "$2" --pace fast > play.txt 2>&1 < /dev/null &
  program=$!
  sleep "$(($3 / 10)).$(($3 % 10))"
  kill "-$1" $program 2> /dev/null
  wait $program 2> /dev/null
  code=$?
  output=$(cat play.txt)
  note "$1 after $(($3 / 10)).$(($3 % 10)) s of $2: $code"
  case $1:$code in
    KILL:137|INT:130|TERM:130|HUP:130|*:0) ;;
    TERM:143) [ -z "$output" ] || fault "TERM was not heard" ;; # before it had begun
    *) fault "$1 after $(($3 / 10)).$(($3 % 10)) s of $2: it ended with $code"; show ;;
  esac
  says_not 'Sanitizer|runtime error'
  [ "$1" = KILL ] || [ "$code" != 130 ] || leaves_nothing "$before" # play clears up after itself, also then
  expect 0 tutor reset "$2"
  leaves_nothing "$before"
  [ "$code" != 0 ] || [ "$3" = 0 ] || round "$1" "$2" $(($3 / 2))
}
round INT nginx 2
round TERM nginx $((RANDOM % 10))
round INT nginx $((10 + RANDOM % 40))
round TERM nginx $((10 + RANDOM % 80))
round INT custom-resources $((5 + RANDOM % 40))
round KILL nginx $((20 + RANDOM % 60))
round KILL custom-resources $((10 + RANDOM % 40))
round HUP init-containers $((10 + RANDOM % 60))

note "Ctrl-C while check waits and while reset removes"
expect 0 tutor solve nginx/hand-in
k -n "$ns" scale deployment/nginx --replicas=2 > /dev/null
expect 130 timeout --preserve-status -s INT 3 "$KUBETUTOR" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" -n "$ns" check nginx --wait 60s
expect 0 tutor play nginx/hand-in --keep --pace fast
timeout -s INT 0.5 "$KUBETUTOR" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" -n "$ns" reset nginx > /dev/null 2>&1
expect 0 tutor reset nginx
leaves_nothing "$before"
