#!/bin/sh
# modes.sh FOLDER [STEPS]: how well the two modes of a run agree. FOLDER holds stagelens-cli; a quiet machine is wanted.
# With a core for each device the live step against the virtual clock's, the best median of three runs of each; with eight devices the virtual
# clock's bubble against what simulate predicts from the run's own durations, averaged by device, stage and pass.
set -eu
cli=$1/stagelens-cli
steps=${2:-12}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STAGELENS_DATA_DIR="$work" OPENBLAS_NUM_THREADS=1

# figure DOCUMENT KEY: the first number of that name
figure() { grep -o "\"$2\": *[0-9.e+-]*" "$1" | head -n 1 | sed 's/.*: *//'; }

# least NUMBERS: the smallest
least() { printf '%s\n' "$@" | sort -g | head -n 1; }

cores=$(nproc)
echo "plan                       live ms   virtual clock ms   difference"
for devices in 1 2 4; do
    [ "$devices" -le "$cores" ] || continue
    for vocabulary in none vocab-1 vocab-2; do
        best_live= best_virtual=
        for round in 1 2 3; do # in turns: a machine is not equally fast at all times
            for mode in live virtual-clock; do
                "$cli" run --devices "$devices" --vocabulary "$vocabulary" --mode "$mode" --steps "$steps" --json \
                    > "$work/$mode.json" 2> /dev/null
            done
            best_live=$(least $best_live "$(figure "$work/live.json" median_ns)")
            best_virtual=$(least $best_virtual "$(figure "$work/virtual-clock.json" median_ns)")
        done
        echo "$devices $vocabulary $best_live $best_virtual" |
            awk '{printf "1f1b, %-8s %d devices %9.1f %18.1f %11.1f %%\n", $2 ",", $1, $3 / 1e6, $4 / 1e6, 100 * ($3 / $4 - 1)}'
    done
done

echo
echo "plan                       bubble   from its own durations   difference"
for vocabulary in none vocab-1 vocab-2; do
    "$cli" run --devices 8 --vocabulary "$vocabulary" --mode virtual-clock --steps "$steps" --json > "$work/run.json" 2> /dev/null
    "$cli" export "$(figure "$work/run.json" id)" --format csv > "$work/slices.csv"
    awk -F, 'NR > 1 { key = $1 "," $3 "," $2; sum[key] += $6 - $5; count[key]++ }
             END { print "device,stage,pass,duration_us"; for (key in sum) print key "," sum[key] / count[key] / 1000 }' \
        "$work/slices.csv" > "$work/durations.csv"
    "$cli" simulate --devices 8 --vocabulary "$vocabulary" --model gpt-demo --durations "$work/durations.csv" --json > "$work/predicted.json"
    echo "$vocabulary $(figure "$work/run.json" bubble_ratio) $(figure "$work/predicted.json" bubble_ratio)" |
        awk '{printf "1f1b, %-8s 8 devices %6.2f %% %23.2f %% %10.2f points\n", $1 ",", 100 * $2, 100 * $3, 100 * ($2 - $3)}'
done
