# What the scripts share; sourced, not run. Expects `root`, the project's folder.
# shellcheck shell=bash disable=SC2154
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubetutor

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
die() { say "$@"; exit 1; }

# packages SET...: the sets' package names that are not installed, one a line.
missing_packages() {
  local set wanted
  wanted=$(for set in "$@"; do awk -v s="$set" '$1 == s {print $2}' "$root/scripts/packages.txt"; done | sort -u)
  # shellcheck disable=SC2086 # a list of names
  { dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | awk '$2 == "installed" {print $1}'; echo "$wanted"; } | sort | uniq -u
}

# need_packages SET...: installs what is missing of these sets; says what and why. Where all is there it does nothing, so
# that it works without a network.
need_packages() {
  local missing name as_root=() log=$cache/apt.log
  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    say "this is no Debian: if something is missing below, scripts/packages.txt lists what is needed"
    return 0
  fi
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  say "missing here, and what it is for (apt-get installs it now):"
  for name in $missing; do
    printf '  %-28s %s\n' "$name" "$(awk -v p="$name" '$2 == p {$1 = $2 = ""; sub(/^ +/, ""); print; exit}' "$root/scripts/packages.txt")" >&2
  done
  if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null || die "not root and no sudo; as root: apt-get install $(echo "$missing" | tr '\n' ' ')"
    as_root=(sudo); [ -t 0 ] || as_root=(sudo -n)
  fi
  mkdir -p "$cache"
  # shellcheck disable=SC2086 # a list of names
  { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } > "$log" 2>&1 < /dev/null || {
    tail -n 15 "$log" >&2
    die "apt-get failed; all of its output is in $log"
  }
}

# at_least WANTED HAVE: true when version HAVE (1.26.3) is WANTED (1.26) or newer.
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# wheel NAME FOLDER: downloads the wheel that scripts/wheels.txt pins under NAME into FOLDER; pip holds it against the
# digests written there.
wheel() {
  local pins
  pins=$(awk -v n="$1==" 'index($1, n) == 1' "$root/scripts/wheels.txt")
  [ -n "$pins" ] || die "scripts/wheels.txt has no $1"
  # kept for the time of the download only: pip wants a file
  printf '%s\n' "$pins" > "$2/pin.txt"
  python3 -m pip --version > /dev/null 2>&1 || need_packages fetch
  python3 -m pip download -q --retries 2 --timeout 30 --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -d "$2" -r "$2/pin.txt" < /dev/null
}
