# Who may know whom: the layers of resources/docs/architecture.md.
. "$(dirname "$0")/common.sh"

# only FOLDER "allowed engine folders": what a folder of the engine may include of the project.
only() {
    local folder=$1 allowed=$2 pattern
    pattern=$(printf '%s' "$allowed" | tr ' ' '|')
    report "engine/$folder may include of the project only: $allowed" \
        "$(includesOf "engine/$folder" | grep -E '"(engine|kernels|ui|app)/' | grep -vE "\"($pattern)/")"
}

# The optimizers and compressions of engine/operators come before the model, whose schema and validation list them.
optimizers="engine/base engine/operators/optimizers engine/operators/compression"
ranks="$optimizers engine/model engine/layout"
plans="$ranks engine/operators engine/passes engine/schedule"
values="$plans engine/timeline engine/simulate"
only base "engine/base"
only operators/optimizers "engine/base engine/operators/optimizers kernels/include"
only operators/compression "$optimizers kernels/include"
only model "$optimizers engine/model"
only layout "$ranks"
only operators "$ranks engine/operators kernels/include"
only passes "$ranks engine/operators engine/passes"
only schedule "$plans"
only timeline "$plans engine/timeline"
only simulate "$values"
only backend "engine/base engine/backend kernels/include kernels/cuda/selftest"
only runtime "$values engine/exchange engine/backend engine/runtime kernels/include"
only store "$values engine/store"
only exchange "$values engine/exchange"
only service "$values engine/runtime engine/store engine/exchange engine/service"

report "Engine, kernels and the command line include no Qt" \
    "$(includesOf engine kernels app/cli | grep -E '[<"](Q[A-Z]|Qt|qcustomplot|qt)')"
report "Kernels include nothing of the project but kernels" \
    "$(includesOf kernels | grep -E '"(engine|ui|app|tests)/')"
report "The window includes of the engine only its service and value types" \
    "$(includesOf ui | grep -E '"(engine|kernels|app)/' | grep -vE '"engine/(service|base|model|layout|operators|passes|schedule|timeline|simulate)/')"
# room FOLDER "folders before it": what a folder of the window may include of the window.
room() {
    local folder=$1 allowed=$2
    report "ui/$folder may include of the window only: ${allowed:+$allowed }$folder" \
        "$(includesOf "ui/$folder" | grep -E '"ui/' | grep -vE "\"ui/(${allowed// /|}${allowed:+|}$folder)/")"
}
room words ""
room state "words"
room canvas "words state"
room controls "words canvas"
room plots "words state canvas"
room timeline "words state canvas controls"
room morph "words state canvas controls"
room panels "words state canvas controls plots timeline"
room shapes "words state canvas controls"
room strip "words state canvas controls plots timeline panels"
room learn "words state canvas controls plots timeline morph panels"
room pages "words state canvas controls plots timeline morph panels shapes learn"
room sweep "words state canvas controls plots pages"
room controllers "words state canvas controls plots timeline morph panels shapes strip learn pages sweep"

report "The window asks for stored runs through EngineBridge::ask() alone, which waits for the database on another thread" \
    "$(grep -rnE '\b(StoredRuns\b[^&]*$|RunStore\b)' --include='*.h' --include='*.cpp' ui | grep -vE ':[0-9]+:[[:space:]]*(//|\*)')"
report "Headers of CUDA and its libraries stand only in engine/backend/cuda and kernels/cuda" \
    "$(includesOf app engine kernels ui tests | grep -vE '\.moc"' | grep -E '[<"](cuda|cublas|cudnn\.h|cudnn_frontend|cupti|nccl|nvtx|curand|cub/)' |
        grep -vE '^(engine/backend/cuda|kernels/cuda)/')"
report "MPI's header stands only in engine/backend/mpi" \
    "$(includesOf app engine kernels ui tests | grep -E '[<"]mpi' | grep -vE '^engine/backend/mpi/')"
report "SQLite's header stands only in engine/store" \
    "$(includesOf app engine kernels ui | grep -E '[<"]sqlite3' | grep -vE '^engine/store/')"
report "BLAS headers stand only in kernels/cpu" \
    "$(includesOf app engine kernels ui | grep -E '[<"](cblas|openblas)' | grep -vE '^kernels/cpu/')"
report "qcustomplot.h stands only in its wrapper ui/canvas/qcp.h" \
    "$(includesOf app engine kernels ui tests | grep -E '[<"]qcustomplot' | grep -vE '^ui/canvas/qcp\.h:')"
report "JSON is parsed within bounds by engine/model/json_reader.h, and event by event in engine/exchange/trace_events.cpp" \
    "$(grep -rnE '[Jj]son::(sax_parse|parse|accept|from_[a-z]+)\(' --include='*.h' --include='*.cpp' app engine ui |
        grep -vE '^engine/(model/json_reader\.cpp|exchange/trace_events\.cpp):')"
# Requirements: forEachRequirement() reads them from recipes, RequirementTable stores them for Frontier.
report "Only forEachRequirement() reads the requirements of a recipe" \
    "$(grep -rnE '\.requirements\b' --include='*.h' --include='*.cpp' app engine ui |
        grep -vE '^engine/passes/(requirements\.h|recipe_book\.cpp|recipe_text\.cpp):')"
report "Only RequirementTable, and analyses of a given order that run backwards, call forEachRequirement()" \
    "$(grep -rnE '\bforEachRequirement\(' --include='*.h' --include='*.cpp' app engine ui |
        grep -vE '^(engine/passes/(requirements|requirement_table)\.h|engine/schedule/check/validator\.cpp|engine/exchange/chrome_trace\.cpp|ui/state/links\.cpp):')"
report "Only Frontier's users, WaitPlan and the search for the best order make a RequirementTable" \
    "$(grep -rnE '\bRequirementTable\b' --include='*.h' --include='*.cpp' app engine ui |
        grep -vE '^(engine/passes/|engine/schedule/(devices_in_order\.h|order/list_schedule\.cpp):|engine/service/plans/schedule_repair\.cpp:|engine/simulate/(wait_plan\.(h|cpp)|optimal_order\.cpp):)')"
# Vocabulary methods: engine/passes/vocabulary says what one does, and a row of vocabulary_method.h names it. Recipes, the
# passes of a schedule and VocabularyTables answer all others.
ofMethods() {
    grep -rnE "$1" --include='*.h' --include='*.cpp' app engine ui | grep -vE '^engine/(passes/vocabulary/|model/vocabulary_method\.h:)'
}
deciders='engine/(model/(capabilities|family_shape|checks/stage_checks|schema/schedule_rows)|operators/stage_layers|runtime/memory/memory_check|schedule/(families|order/vocabulary_insertion)|service/(plans/schedule_plan|search/search_space))\.cpp'
# leavesVocabularyOrderOpen(), leastStageLayers() and hasBestOrder() are traits under another name.
words='(ui/(learn/facts|words/method_groups)|app/cli/(front|commands/list))\.cpp'
report "Only these ten files decide by the vocabulary method: $deciders" \
    "$(ofMethods 'traits\(.*\)\.(isChoice|redistributesLayers|isSharded|barriers)\b|\b(row|method|choice)\.(isSharded|barriers|redistributesLayers)\b|vocabularyPasses\(.*\)\.empty\(|[!=]= (model::)?VocabularyMethod::|\b(leavesVocabularyOrderOpen|leastStageLayers|hasBestOrder)\(' |
        grep -vE "^($deciders|$words|engine/(model/family_shape|schedule/families)\.h):")" # $words: put a trait into words
# What else names a method makes a schedule or a plan with it: imports, measurements, pictures, the prepared sweep.
report "Only makers of plans name a vocabulary method beside none" \
    "$(ofMethods '\bVocabularyMethod::[A-MO-Z]|VocabularyMethod::Naive' |
        grep -vE "^($deciders|engine/(service/search/divisions|schedule/families/interlaced|service/(machine/calibrate|runs/gpu_bench))\.cpp|ui/sweep/sweep_plan\.cpp|app/(scenes|cli/commands/bench)\.cpp):")"
# circles PATTERN: the loops of the graph of includes, whose nodes are what the extended regular expression leaves of each path.
circles() {
    includesOf engine kernels ui app | sed -nE 's/^([^:]+):[0-9]+:[^"]*"((engine|kernels|ui|app)\/[^"]+)".*/\1 \2/p' |
        sed -E "s,$1,\\1,g" | awk '$1 != $2' | tsort 2>&1 >/dev/null
}
report "Includes make no circle of files" "$(circles '([^ ]+)')"
# The optimizers and compressions of engine/operators come before the model, see above.
report "Includes make no circle of folders" "$(circles '((engine/operators/(optimizers|compression)|engine/[a-z]+|kernels|ui/[a-z]+|app))/[^ ]+')"
# rooms FOLDER "subfolders, lowest first": each may include of the folder only itself and those before it; files beside them, all.
rooms() {
    local folder=$1 allowed="" room
    for room in $2; do
        allowed+=${allowed:+|}$room
        report "engine/$folder/$room may include of engine/$folder only: ${allowed//|/ }" \
            "$(includesOf "engine/$folder/$room" | grep "\"engine/$folder/" | grep -vE "\"engine/$folder/($allowed)/")"
    done
    report "The order of engine/$folder lacks a subfolder" \
        "$(find "engine/$folder" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | grep -vxE "$allowed")"
}
rooms runtime "machine plan data memory offload state layers executor processes reference training worker remote"
rooms service "machine plans predictions search runs"
# Files beside subfolders count alone: a folder's entrance may include its subfolders, and they may include other files of it.
report "Includes make no circle of subfolders" "$(circles '(engine/(passes|schedule|simulate)/[a-z]+)/[^ ]+')"
report "Nothing below app ends the process" \
    "$(grep -rnE '\b(std::)?(exit|abort|quick_exit|_exit)\(' --include='*.h' --include='*.cpp' engine kernels |
        grep -vE ':[0-9]+:[[:space:]]*(//|\*)')"
finish
