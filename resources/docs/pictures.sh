#!/usr/bin/env bash
# Draws the pictures of the documentation, with the window's own code and without a display.
# resources/docs/pictures.sh [FOLDER]: ten scenes into FOLDER (build/pictures if none is named), and into resources/docs/images
# the three of them that the README shows, its animation and a timeline of each schedule and vocabulary method.
# STAGELENS_BUILD names the folder of the programs (build/release). Two scenes train for real; all take a few minutes.
set -eu
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd -P)
programs=${STAGELENS_BUILD:-$root/build/release}
images=$root/resources/docs/images
scenes=${1:-$root/build/pictures}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export STAGELENS_DATA_DIR=$scratch/data QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$scratch LC_ALL=C.UTF-8
mkdir -p "$scenes" "$images/schedules" "$images/vocabulary"
# Predictions for this computer need its figures.
"$programs/stagelens-cli" bench --calibrate >/dev/null

# scene NAME SIZE SCENE [OPTIONS]
scene() {
    echo "$1"
    "$programs/stagelens" --screenshot "$scenes/$1.png" --size "$2" --scene "$3" "${@:4}" 2> >(grep -v "^This plugin" >&2)
}
# plan NAME OPTIONS: an experiment for the scenes and timelines below
plan() { "$programs/stagelens-cli" experiment "${@:2}" -o "$scratch/$1.stagelens.json"; }

plan overfull --model gpt-21b --devices 4 --microbatches 32 --hardware a100-80gb
scene first-start 1440x900 first-start
scene live-edit 1440x900 edited
scene both-timelines 1440x900 trained
scene bubble-explained 1440x900 bubble
scene compare 1440x900 compare
scene teach 1440x900 'learn:tours/3-vocabulary-bottleneck.tour#2'
scene sweep 1440x900 sweep
scene dark 1440x900 dark
scene does-not-fit 1440x900 first-start "$scratch/overfull.stagelens.json"
scene presentation 1024x700 presentation
cp "$scenes/first-start.png" "$scenes/live-edit.png" "$scenes/bubble-explained.png" "$images"

plan split --vocabulary vocab-2
"$programs/stagelens" --export "$images/wall-dissolves.svg" --experiment "$scratch/split.stagelens.json" \
    --from "$root/resources/examples/demo-slow-last-device.stagelens.json"

# timeline FOLDER NAME OPTIONS
timeline() {
    plan drawn "${@:3}"
    "$programs/stagelens" --export "$images/$1/$2.png" --experiment "$scratch/drawn.stagelens.json" --size 1000x300
}
for family in $("$programs/stagelens-cli" list schedules | cut -d' ' -f1); do
    microbatches=8
    case $family in seq1f1b*) microbatches=4 ;; esac # numbers of slices are wider
    timeline schedules "$family" --schedule "$family" --devices 4 --microbatches "$microbatches" --uniform F=1,I=1,W=1,B=2,S=.5,OFF=1,ON=1
done
for method in none redis vocab-naive vocab-1 vocab-2; do
    timeline vocabulary "$method" --vocabulary "$method" --devices 4 --microbatches 8 \
        --uniform F=1,B=2,S=.5,U=.2,T=.5,EF=.1,EB=.1
done
