# In a cluster that is not the practice one, the first thing ever made is asked for: once, and without a terminal it needs --yes.
. "$(dirname "$0")/lib.bash"
asks() { "$KUBETUTOR" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" -n "$ns" "$@"; }
answers() { # ANSWER COMMAND...: on a terminal
  local answer=$1; shift
  python3 -c '
import os, pty, sys
answer, command = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execv(command[0], command)
text = b""
asked = False
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if not more:
        break
    text += more
    if not asked and b"[y/N]" in text:
        asked = True
        os.write(terminal, answer.encode() + b"\n")
sys.stdout.write(text.decode("utf-8", "replace"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
' "$answer" "$KUBETUTOR" --kubeconfig "$KUBETUTOR_LIVE_KUBECONFIG" -n "$ns" "$@"
}
note "reading needs no leave"
expect 1 asks check nginx
note "without a terminal"
expect 4 asks play nginx/hand-in --pace fast
says '--yes'
expect 4 asks solve nginx/hand-in
expect 4 asks selftest nginx
expect 1 k get namespace "$ns"
note "no"
output=$(answers n play nginx/hand-in --pace fast); code=$?
[ $code = 4 ] || { fault "after No it ended with $code"; show; }
says 'nothing was changed in cluster'
says_not 'interrupted'
expect 1 k get namespace "$ns"
note "yes"
expect 0 answers y play nginx/hand-in --pace fast
says 'meant for learning|cluster for learning'
note "and never again"
expect 0 asks play nginx/hand-in --pace fast
says_not '\[y/N\]'
says_not 'not given'
expect 0 k get namespace "$ns" -o name
[ "$(k get namespace "$ns" -o 'jsonpath={.metadata.labels.app\.kubernetes\.io/managed-by}')" = kubetutor ] || fault "the namespace that kubetutor made does not say so"
