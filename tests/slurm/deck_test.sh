#!/usr/bin/env bash
# What the job scripts read from decks is what the program makes of them.
#   deck_test.sh OIDA MPIEXEC NUMPROC_FLAG
here=$(realpath "$(dirname "$0")")
source "$here/../app/lib.sh"
source "$here/../../slurm/deck.sh"

# resolved DECK KEY: the value that --check prints.
resolved() {
  on 1 train "$1" --check
  sed -n "/^\\[${2%.*}\\]/,/^\\[/s/^${2#*.} = //p" "$out"
}

# reads DECK SECTION KEY WANTED
reads() {
  expect "$1: $2.$3 is '$(deck_value "$1" "$2" "$3")', not '$4'" \
    test "$(deck_value "$1" "$2" "$3")" = "$4"
}

make_scene
mkdir bases
write_deck bases/ground "run.dir = there"
printf '[deck]\nbase = bases/ground.ini\n[train]\nepochs = 3\n' >middle.ini
printf '[deck]\n base = %s\n[run]\nkeep = 4\ndir = here\n' "$room/middle.ini" >top.ini

reads top.ini run dir here
reads middle.ini run dir there
reads top.ini train epochs 3
reads top.ini train nothing ""
reads none.ini run dir ""
expect "run.dir of middle.ini" test "$(resolved middle.ini run.dir)" = "$(realpath "$room")/there"
expect "train.epochs of top.ini" test "$(resolved top.ini train.epochs)" = 3

expect "no section [synth] was seen" deck_has_section top.ini synth
expect "a section [mode] was seen" eval '! deck_has_section top.ini mode'

# Decks that start from each other: the program refuses them, the scripts come to an end.
printf '[deck]\nbase = b.ini\n' >a.ini
printf '[deck]\nbase = a.ini\n' >b.ini
reads a.ini run dir ""
finish
