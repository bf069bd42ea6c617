#!/bin/sh
# Run a few test programs and the command line of a build folder under valgrind: valgrind.sh FOLDER
# It sees what the sanitizers do not: reads of memory that was never written.
set -u
cd "$(dirname "$0")/.."

folder=$1
bad=0
run() { # COMMAND...
    valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@" \
        >"$folder/valgrind.log" 2>&1 && return
    echo "failed under valgrind: $*"
    cat "$folder/valgrind.log"
    bad=1
}

export REFRACT_SOURCE="$PWD"
for name in config_test_config media_test_probe media_test_sniff wire_test_wire; do
    run "$folder/tests/$name"
done
for model in anthropic:claude-sonnet-5 openai-chat:gpt-5.4-mini ollama:llama3.2; do
    run "$folder/refract" encode -m $model --explain examples/conversation.json
done
exit $bad
