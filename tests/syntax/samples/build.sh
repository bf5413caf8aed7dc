#!/bin/bash
set -euo pipefail

LIMIT=10
export NAME="x"

# Builds.
build() {
  local x=1
  make -j "$x"
}

function clean
{
  rm -rf out
}

if [ "$1" = all ]; then
  function inner() { echo x; }
fi

case "$1" in
  a) build ;;
esac
build "$@"
