#!/bin/sh
# The gateway's interface by hand, with nothing but curl: execute, submit, poll, download.
#
#   genrun serve                                  # in another terminal; it prints the two variables
#   GENRUN_BASE_URL=… GENRUN_API_KEY=… sh examples/gateway.sh out/by-hand
set -eu
: "${GENRUN_BASE_URL:?}" "${GENRUN_API_KEY:?}"
folder=${1:-out/by-hand}
mkdir -p "$folder"

# The key goes through a file, where other users of the machine cannot read it from the list of processes.
config=$(mktemp)
trap 'rm -f "$config"' EXIT
printf 'header = "Authorization: Bearer %s"\n' "$GENRUN_API_KEY" > "$config"

call() { curl --silent --show-error --config "$config" "$@"; }
# An answer that refuses says why.
post() {
  answer=$(call --fail-with-body --json "$2" "$GENRUN_BASE_URL/workflows/$1") || { echo "$answer" >&2; exit 1; }
}
# The first value of a key in the answer.
value() { printf %s "$answer" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" | head -n 1; }

# Execute: the answer comes when the work is done.
post fama-imagine-image/execute '{"params":{"prompt":"A celadon teapot on wet slate","aspectRatio":"16:9"}}'
image=$(value url)
call --fail --retry 3 --output "$folder/teapot.png" "$image"
echo "$folder/teapot.png"

# Submit: the answer is an id. The picture goes along by its link.
post famc-v3/submit "{\"params\":{\"prompt\":\"Steam rises\",\"duration\":3,\"startFrame\":\"$image\"}}"
id=$(value id)

# Poll until it is finished.
while :; do
  answer=$(call --fail --retry 3 "$GENRUN_BASE_URL/workflows/famc-v3/$id/result")
  case $(value status) in
    completed) break ;;
    failed) echo "$answer" >&2; exit 1 ;;
    *) sleep 0.2 ;;
  esac
done

# Download.
call --fail --retry 3 --output "$folder/steam.mp4" "$(value url)"
echo "$folder/steam.mp4"
