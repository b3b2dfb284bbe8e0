#!/bin/sh
# Makes the spoken assets again: assets/greeting.{wav,opus,g722,pcmu,pcma}, assets/sample-1.wav, assets/sample-2.wav.
# Needs the Debian packages flite (speech), sox (trimming, fades) and ffmpeg (loudness), and `npm ci` done.
set -eu

loudness=-20 # LUFS, EBU R 128, measured over the whole
assets=$(cd "$(dirname "$0")/../assets" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

measure_lufs() {
  ffmpeg -nostdin -hide_banner -i "$1" -af ebur128 -f null - 2>&1 | awk '/I:/ { lufs = $2 } END { print lufs }'
}

# speak FILE TEXT: 16 kHz mono, without rumble, a little presence for the telephone's band, levelled, 10 ms fades,
# 150 ms of silence around. Without dither (-D), so that every run gives the same octets.
speak() {
  flite -voice rms -t "$2" -o "$work/spoken.wav"
  sox -D "$work/spoken.wav" "$work/trimmed.wav" gain -6 highpass 120 equalizer 2400 1q 4 \
    silence 1 0.01 0.2% reverse silence 1 0.01 0.2% reverse
  gain=$(awk "BEGIN { print $loudness - ($(measure_lufs "$work/trimmed.wav")) }")
  sox -D "$work/trimmed.wav" -b 16 --comment '' "$assets/$1" gain "$gain" fade t 0.01 -0 0.01 pad 0.15 0.15
}

speak greeting.wav 'Hello. This is an automated message.'
speak sample-1.wav 'The school is closed today, because of snow.'
speak sample-2.wav 'Please collect your children before noon. Stay safe, and goodbye.'

cd "$assets/.."
PATH="$PWD/node_modules/.bin:$PATH" node scripts/render-greeting.ts
