# Every step of init-containers is proven: its check fails before and passes after, and cleanup leaves nothing. In a full run each wrong state is refused, too
# (about six minutes a lesson).
. "$(dirname "$0")/lib.bash"
k create namespace "$ns" > /dev/null
before=$(inventory)
expect 0 tutor selftest init-containers ${KUBETUTOR_FULL:+--mutants}
show
leaves_nothing "$before"
