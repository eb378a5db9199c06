#!/bin/sh
# One job at a time, in the words of the service's own client: `sh examples/faces/one-shot.sh`. Without a service it
# rehearses. GENRUN says what genrun is here.
set -eu
genrun=${GENRUN:-npx genrun}

# What a model takes, and what a job costs by: no key, no network.
$genrun gen-ai models info famb-v3 --json > /dev/null
$genrun gen-ai pricing famc-v3 -d 10

# Made, and its path on stdout.
$genrun gen-ai generate -m famb-v3 -p 'A fox in snow' --ar 16:9 -n 2 -o out/faces/fox.png

# A prompt from a pipe; the file of one job is the input of the next.
picture=$(echo 'A teapot on wet slate' | $genrun generate -m fama-imagine-image -p - -o out/faces/teapot.png)
$genrun generate -m famc-v3-turbo -p 'Steam rises' -d 3 --start-frame "$picture" -o out/faces/steam.mp4

# Lines become a manifest, where nothing is paid for twice; a job of a manifest becomes a line, a tool call, a request.
printf "gen-ai generate -m famb-v3 -p 'A fox in snow' -n 2\n" | $genrun import - > out/faces/fox.yaml
for form in cli tool curl sdk; do $genrun convert out/faces/fox.yaml a-fox-in-snow --to $form; done
