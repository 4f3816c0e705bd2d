#!/bin/sh
# must_not_compile.sh COMPILER INCLUDE_ROOT SOURCE CASES: each case fails by itself, and all pass as their twins.
compiler=$1 root=$2 source=$3 cases=$4
flags="-std=c++23 -fsyntax-only -I$root"
if ! "$compiler" $flags -DCASE=0 -DTWIN "$source"; then
  echo "the right twins do not compile, so nothing is proved"
  exit 1
fi
status=0 case=1
while [ "$case" -le "$cases" ]; do
  if "$compiler" $flags -DCASE="$case" "$source" 2>/dev/null; then
    echo "case $case compiles, but must not"
    status=1
  fi
  case=$((case + 1))
done
[ "$status" -eq 0 ] && echo "$cases mistakes refused, $cases twins accepted"
exit $status
