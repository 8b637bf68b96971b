#!/bin/bash
# Ünïcode
NAME=x

# Says it.
say() {
  echo "$1"
  # done
}

LIST=(
  a
)

quiet() { :; }