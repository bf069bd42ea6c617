#!/bin/sh
# Ask the model that needs no key about a picture, and say what is seen.
set -eu
cd "$(dirname "$0")/.."
build=$1

echo '$ refract ask -m offline "What is in @examples/photo.jpg?"'
"$build/refract" ask -m offline --no-save "What is in @examples/photo.jpg?" </dev/null
cat <<'END'

Above: the picture was announced (~), the model called a tool to see it (>), it was delivered (+), and this model
says exactly what it was given. It is the simulator that our tests run against; with a key, any other model is one
option away:

  ANTHROPIC_API_KEY=... build/refract ask -m anthropic:claude-sonnet-5 "What is in @examples/photo.jpg?"

README.md goes on from here under "Ten minutes".
END
