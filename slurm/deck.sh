# What the scripts read from decks.
# shellcheck shell=bash

# The value of KEY in [SECTION] of one ini file.
ini_value() { # FILE SECTION KEY
  sed -n '/^\['"$2"'\]/,/^\[/s/^ *'"$3"' *= *//p' "$1" 2>/dev/null | head -n 1
}

# The deck and those that it starts from ([deck] base), a line each; the program refuses more.
deck_chain() { # DECK
  local deck=$1 base nth
  for ((nth = 0; nth <= 8; nth++)); do
    echo "$deck"
    base=$(ini_value "$deck" deck base)
    [[ -n $base ]] || return 0
    [[ $base == /* ]] || base=$(dirname "$deck")/$base
    deck=$base
  done
}

# The value that a deck gives a key, itself or by what it starts from.
deck_value() { # DECK SECTION KEY
  local file value
  while read -r file; do
    value=$(ini_value "$file" "$2" "$3")
    [[ -z $value ]] || break
  done < <(deck_chain "$1")
  echo "$value"
}

deck_has_section() { # DECK SECTION
  local file
  while read -r file; do
    ! grep -q "^\\[$2\\]" "$file" || return 0
  done < <(deck_chain "$1")
  return 1
}
