#!/usr/bin/env bash
# What a script declares: its functions and its global variables.
set -euo pipefail

# shellcheck source=lib/common.sh
source "$(dirname "$0")/lib/common.sh"
. ./lib/größe.sh

VERSION="1.2.3" # a constant by its name
readonly name="größe"
declare -r -i limit=10
export PATH LANG=C
declare -A colours=(
  [red]="31"
  [green]="32"
)
files=(one two)
empty=
declare unset_yet
usage=$(
  cat <<'EOF'
not_a_function() { :; }
EOF
)
A=1 b=2

# Not attached: a blank line stands between.

# Prints an error.
# Arguments: the message
die() {
  local message="$1"
  FOUND=1
  echo "$message" >&2
  exit 1
}

function with_keyword {
  nested() { echo nested; }
  nested "$@"
}

function with_both() { echo both; }

in_subshell() (
  cd /tmp || exit
  pwd
)

on_next_line()
{
  cat <<-EOF
	text of $1
	EOF
}

redirected() {
  echo log
} >>"$log" 2>&1

conditional() if [ -n "${1:-}" ]; then echo; fi

name::with-dashes.and_more() { :; }

if command -v curl >/dev/null; then
  download() { curl -fsSL "$1"; }
elif command -v wget >/dev/null; then
  download() { wget -qO- "$1"; }
else
  echo "neither curl nor wget"
fi

case "$(uname)" in
  Darwin) open_url() { open "$1"; } ;;
  *) open_url() { xdg-open "$1"; } ;;
esac

for each in start stop; do
  eval "do_$each() { :; }"
  last_loop() { echo "$each"; }
done

[[ -t 1 ]] && is_terminal() { return 0; }

{
  GROUPED=1
  in_group() { :; }
}

files+=(three)
files[0]=four
LC_ALL=C sort "${files[@]}"
unset empty
main "$@"
