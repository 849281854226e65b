# Random patches of all four kinds mean the same to the practice cluster's code as to a real server: 400 of them, in a full run 10,000.
number=400
[ -z "$KUBETUTOR_FULL" ] || number=10000
exec python3 -B "$(dirname "$0")/../practice/patches/compare.py" "$KUBETUTOR_LIVE_KUBECONFIG" "$(dirname "$KUBETUTOR")/tests/practice_patches" "$number" --table yes
