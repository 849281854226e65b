# Every step of self-healing is proven: its check fails before, passes after, refuses the wrong states, and cleanup leaves nothing.
. "$(dirname "$0")/lib.bash"
k create namespace "$ns" > /dev/null
before=$(inventory)
expect 0 tutor selftest self-healing --mutants
show
leaves_nothing "$before"
